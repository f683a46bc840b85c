# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of confine(1) for bash. tests/lint/completions.pl compares it with supervisor/options.def and policy/keys.def.

# Words that complete to themselves, with a space after them or, where they end in "=", without.
_confine_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
}

_confine_paths() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

# The names of policies.
_confine_policies() {
    local directory file

    for directory in ~/.config/confine /etc/confine /usr/local/share/confine /usr/share/confine; do
        for file in "$directory"/policies/*.conf; do
            [[ ! -e $file ]] || basename "$file" .conf
        done
    done
}

# The value of a policy key.
_confine_value() {
    case $1 in
        AllowRead | AllowWrite | AllowExec) _confine_paths -f ;;
        SeccompProfile) _confine_paths -f ;;
        WorkingDirectory) _confine_paths -d ;;
        PrivateTmp) _confine_words 'yes no' ;;
        Base) _confine_words 'none system python' ;;
        Interpreter) _confine_paths -f ;;
        Network | Subprocess) _confine_words 'deny allow' ;;
        Enforcement) _confine_words 'strict best-effort' ;;
        Audit) _confine_words 'required best-effort' ;;
        AuditArguments) _confine_words 'hash full' ;;
        RequireIsolation) _confine_words 'process container gvisor microvm' ;;
        PassEnvironment | Secrets) mapfile -t COMPREPLY < <(compgen -e -- "$cur") ;;
        User) mapfile -t COMPREPLY < <(compgen -u -- "$cur") ;;
        Group) mapfile -t COMPREPLY < <(compgen -g -- "$cur") ;;
    esac
}

_confine() {
    local cur=${COMP_WORDS[COMP_CWORD]} keys options forms i verb="" name=""
    local -a before=()

    keys='AllowRead= AllowWrite= AllowExec= Base= PrivateTmp= DiskMax= LimitFSIZE= MemoryMax= MemorySwapMax= CPUQuota= CPUWeight=
        TasksMax= RuntimeMaxSec= TimeoutStopSec= StartTimeoutSec= LimitNOFILE= LimitCORE= LimitSTACK=
        IOWeight= IOReadBandwidthMax= IOWriteBandwidthMax= Slice= Network=
        TCPConnectPorts= Subprocess= Interpreter= SeccompProfile= Enforcement= Environment= PassEnvironment= LoadCredential=
        Secrets= User= Group= UIDRange=
        WorkingDirectory= Label= Audit= AuditArguments= RequireIsolation='
    options='--allow-read= --allow-write= --allow-exec= --allow-run --allow-net --allow-env= -E --setenv= --secret= --memory= --cpu= --tasks= --timeout=
        --working-directory= --uid= --gid= --policy= -p --property= --system --user --slice= --label= --result= -q --quiet -v --verbose --dry-run --json --canonical --since= --until= --cause= --id= --directory= --merge --follow --stats --openmetrics --no-pager --watch --signal= --all --kill -h --help --version'
    forms="-c -m"
    COMPREPLY=()

    # bash has cut the line at "=" and ":" too; glue it together again.
    for ((i = 1; i < COMP_CWORD; i++)); do
        if ((${#before[@]})) && [[ ${COMP_WORDS[i]} == [=:] || ${COMP_WORDS[i - 1]} == [=:] ]]; then
            before[${#before[@]} - 1]+=${COMP_WORDS[i]}
        else
            before+=("${COMP_WORDS[i]}")
        fi
    done
    # What is being typed may be the rest of the last of them.
    if [[ $cur == [=:] ]]; then
        name=${before[-1]-}$cur
        cur=
    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == [=:] ]]; then
        name=${before[-1]-}
    fi
    [[ -z $name ]] || unset 'before[-1]'

    # Up to the command; what follows it is none of ours.
    for ((i = 0; i < ${#before[@]}; i++)); do
        case ${before[i]} in
            --)
                _confine_command
                return
                ;;
            # These take the next word.
            -[Ep] | --allow-read | --allow-write | --allow-exec | --allow-env | --setenv | --secret | --memory | --cpu | --tasks | \
                --timeout | --working-directory | --uid | --gid | --policy | --property | --slice | --label | --result | --since | --until | --cause | --id | --directory | --signal)
                ((i + 1 < ${#before[@]})) || name=${before[i]}=$name
                ((++i))
                ;;
            -[cm])
                # Its argument, and then those of the code.
                [[ ! $verb && i+1 -ge ${#before[@]} ]] || _confine_paths -f
                return
                ;;
            --no-sandbox)
                _confine_paths -f
                return
                ;;
            -*) ;;
            run)
                if [[ $verb ]]; then
                    _confine_command
                    return
                fi
                verb=run
                ;;
            log)
                if [[ ! $verb ]]; then
                    verb=log
                    continue
                fi
                _confine_command
                return
                ;;
            policy)
                if [[ ! $verb ]]; then
                    verb=policy
                    continue
                fi
                _confine_command
                return
                ;;
            doctor)
                [[ ! $verb ]] || _confine_command
                verb=${verb:-doctor}
                continue
                ;;
            list | inspect | kill | reap)
                if [[ ! $verb ]]; then
                    verb=${before[i]}
                    continue
                fi
                ;;&
            show | keys | check | trust)
                if [[ $verb == policy ]]; then
                    verb="policy ${before[i]}"
                    continue
                fi
                ;;&
            *)
                [[ $verb != 'policy check' && $verb != inspect && $verb != kill ]] || continue
                if [[ $verb ]]; then
                    _confine_command
                else
                    _confine_paths -f
                fi
                return
                ;;
        esac
    done

    case $name in
        --allow-read=* | --allow-write=* | --allow-exec=*) _confine_value AllowRead ;;
        --working-directory=*) _confine_value WorkingDirectory ;;
        --allow-env=* | --secret=*) _confine_value PassEnvironment ;;
        --uid=*) _confine_value User ;;
        --gid=*) _confine_value Group ;;
        --result=*) _confine_paths -f ;;
        --directory=*) _confine_paths -d ;;
        --cause=*) _confine_words 'exit signal timeout limit killed refused error audit exec running no-end no-sandbox' ;;
        --signal=*) _confine_words 'TERM INT HUP QUIT KILL USR1 USR2 STOP CONT' ;;
        --policy=*)
            _confine_paths -f
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$(_confine_policies)" -- "$cur")
            ;;
        -E=*=* | --setenv=*=*) ;;
        -E=* | --setenv=*) _confine_value PassEnvironment ;;
        -p=*=* | --property=*=*)
            name=${name#*=}
            _confine_value "${name%%=*}"
            ;;
        -p=* | --property=*) _confine_words "$keys" ;;
        *=*) ;;
        *)
            [[ $verb ]] || options+=" $forms"
            ((${#before[@]})) || options+=" --no-sandbox"
            if [[ $verb == policy ]]; then
                _confine_words 'show keys check trust'
            elif [[ $cur == -* && $verb == doctor ]]; then
                _confine_words '--json --system --user'
            elif [[ $cur == -* && $verb == list ]]; then
                _confine_words '--json --label= --watch --system --user'
            elif [[ $cur == -* && $verb == inspect ]]; then
                _confine_words '--json --system --user'
            elif [[ $cur == -* && $verb == kill ]]; then
                _confine_words '--all --label= --signal= --system --user'
            elif [[ $cur == -* && $verb == reap ]]; then
                _confine_words '--json --kill --label= --system --user'
            elif [[ $cur == -* ]]; then
                _confine_words "$options"
            elif [[ $verb == 'policy check' || $verb == 'policy trust' ]]; then
                _confine_paths -f
            elif [[ $verb == inspect || $verb == kill ]]; then
                _confine_words "$(confine list 2>/dev/null | awk 'NR > 1 { print $1 }')"
            elif [[ $verb == policy* || $verb == log || $verb == doctor || $verb == list || $verb == reap ]]; then
                :
            elif [[ $verb ]]; then
                _confine_command
            else
                _confine_paths -f
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W 'run doctor policy log list inspect kill reap' -- "$cur")
            fi
            ;;
    esac
}

# The command to run, and its own completion where bash-completion is there.
_confine_command() {
    local at

    for ((at = 1; at < COMP_CWORD; at++)); do
        [[ ${COMP_WORDS[at]} != -- ]] || break
    done
    if ((at < COMP_CWORD)) && declare -F _comp_command_offset >/dev/null; then
        _comp_command_offset $((at + 1))
    elif ((at < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
        _command_offset $((at + 1))
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
    fi
}

complete -F _confine confine
