# SPDX-License-Identifier: MIT
mkdir -p /srv/job && mkdir -m 1777 /srv/job/out
cat >/srv/job/report.py <<'END'
import collections, sys
sizes, section = collections.Counter(), ""
for line in open(sys.argv[1], encoding="utf-8"):
    key, _, value = line.partition(": ")
    if key == "Section":
        section = value.strip()
    elif key == "Installed-Size":
        sizes[section] += int(value)
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for section, size in sizes.most_common():
        print(f"{size // 1024:6} MiB  {section}", file=out)
print(len(sizes), "sections, the largest is", sizes.most_common(1)[0][0])
END
confine --allow-write=/srv/job/out --allow-read=/var/lib/dpkg/status --memory=256M --timeout=1min \
    /srv/job/report.py /var/lib/dpkg/status /srv/job/out/report.txt
