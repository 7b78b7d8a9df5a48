#!/bin/sh
# Runs while mmdebstrap unpacks the base of the image, with the folder of its root as argument.
set -eu
cd "$1"

# Scanners read which packages an image without a package manager contains from this folder.
mkdir -p var/lib/dpkg/status.d
for deb in var/cache/apt/archives/*.deb; do
  dpkg-deb --field "$deb" > "var/lib/dpkg/status.d/$(dpkg-deb --field "$deb" Package)"
done

# Of the machine that builds, and what the server doesn't read.
rm -rf etc/hostname etc/resolv.conf etc/fstab etc/update-motd.d
rm -rf usr/bin/mawk usr/lib/*/gconv usr/share/gcc usr/share/gdb usr/share/lintian
