# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What `image` and `builder` share: Debian systems made by mmdebstrap and kept in $CONFINE_CACHE (~/.cache/confine).
# CONFINE_MIRROR names a Debian mirror; without it the machine's own apt sources do.

: "${me:?}"
cache=${CONFINE_CACHE:-${HOME:-/root}/.cache/confine}
case $cache in
/*) ;;
*) cache=$PWD/$cache ;;
esac

die() {
    echo "$me: $*" >&2
    exit 1
}

mirror() {
    if [ -n "${CONFINE_MIRROR:-}" ]; then
        echo "$CONFINE_MIRROR"
        return
    fi
    # The pool is the same for all suites, so the source of the machine's own suite will do. Security archives are apart, and
    # others than Debian (whose origin is known only once apt has fetched its lists) may have suites of the same name.
    # shellcheck disable=SC2016 # the format is apt's own
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' 'Created-By: Packages' |
        awk '$3 != "main" || $2 ~ /[-\/]/ { next }
            { score = ($4 == "Debian") * 2 + ($1 ~ /\/debian\/?$/) }
            score > best { best = score; uri = $1 }
            END { print uri }'
}

# begin_making NAME: sets $mirror and $keyring, and $tmp, which is gone at the end if it has not been moved, with an apt.conf in it.
begin_making() {
    mirror=$(mirror)
    [ -n "$mirror" ] || die "no Debian mirror in the apt sources; set CONFINE_MIRROR=<url of a Debian mirror>"
    # Newer versions of the package name it .pgp.
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -e "$keyring" ] || keyring=${keyring%.gpg}.pgp
    [ -e "$keyring" ] || die "no Debian keyring; install debian-archive-keyring"

    tmp=$(mktemp -d "$cache/.tmp-$1.XXXXXX")
    chmod 0755 "$tmp"
    trap 'rm -rf "$tmp"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM

    # A proxy or a certificate this machine's apt needs, the build needs too; what is built does not.
    apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries)[: ]' >"$tmp/apt.conf" || :
    echo 'Acquire::Retries "3";' >>"$tmp/apt.conf"
}

# bootstrap NAME ARGUMENT...: mmdebstrap, into $tmp/root.
bootstrap() {
    bootstrap_log=$cache/$1.log
    shift
    # Without what we have inherited: mmdebstrap names descriptors of its own to dash, which knows none above 9.
    if ! mmdebstrap --quiet --mode=root --aptopt="$tmp/apt.conf" --dpkgopt=force-unsafe-io \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' "$@" >"$bootstrap_log" 2>&1 \
        3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; then
        tail -n 40 "$bootstrap_log" >&2
        die "mmdebstrap failed; all of its output is in $bootstrap_log"
    fi
    rm -f "$tmp/apt.conf"
}

# finish_making DIRECTORY
finish_making() {
    mv "$tmp" "$1"
    trap - EXIT
}

# key_of: of what is read, for a name in the cache: NAME-KEY.
key_of() {
    sha256sum | cut -c1-12
}

# forget_old NAME DIRECTORY: what nobody has wanted for half a day of what is called NAME-KEY, apart from DIRECTORY. Not at once:
# another tree, or a branch one comes back to, may have another key. Who uses one holds a shared lock.
forget_old() {
    find "$cache" -maxdepth 1 -type d -name "$1-????????????" ! -path "$2" -mmin +720 |
        while read -r old; do
            flock --exclusive --nonblock "$old" rm -rf "$old" || :
        done
}
