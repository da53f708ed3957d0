# Makes a root read-only but for its /tmp and the work folder, and starts a program in it.
mount --bind "$1" "$1" && mount --rbind /dev "$1/dev" && mount --rbind /proc "$1/proc" &&
mount -t tmpfs tmpfs "$1/tmp" && mount --bind "$2" "$1/files" && mount -o remount,bind,ro "$1" &&
exec "$3" -c 'import os, sys
os.chroot(sys.argv[1])
os.chdir("/files")
os.execve(sys.argv[2], sys.argv[2:], {"HOME": "/home/examiner"})' "$1" "${@:4}"
