# Functions of ./quickstart and ./check (bash). Sourced with the top of the
# clone as working directory; everything that is made stays in build/.

BUILD=$PWD/build
ROOT=$BUILD/root		# make install goes here

BUILD_PACKAGES="build-essential autoconf automake libtool pkg-config
    libdb5.3-dev libssl-dev libsasl2-dev libltdl-dev libgoogle-perftools-dev
    libutf8proc-dev libroaring-dev liburcu-dev libxxhash-dev libcrypt-dev
    libargon2-dev python3 ldap-utils"
TEST_PACKAGES="libcmocka-dev python3-pytest python3-ldap python3-ldap3 mandoc
    openssl"

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "not root and no sudo; as root, run: $*"
	fi
}

# Install those of the Debian packages "$@" that are not there.
need_packages() {
	local p missing=()

	command -v dpkg-query >/dev/null || {
		echo "no dpkg here: packages are taken to be installed"
		return 0
	}
	for p in "$@"; do
		case $(dpkg-query -W -f '${Status}' "$p" 2>/dev/null) in
		*' installed') ;;
		*) missing+=("$p") ;;
		esac
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	say "Installing: ${missing[*]}"
	as_root apt-get update -q ||
	    echo "apt-get update failed; trying what is known"
	as_root env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -q -y --no-install-recommends "${missing[@]}" ||
	    die "packages could not be installed"
}

# Configure and make in build/. A second call does only what has changed.
build() {
	local log=$BUILD/make.log

	mkdir -p "$BUILD"
	[ ! -e config.status ] ||
	    die "the source folder is configured itself: run 'make distclean' first"
	if [ ! -x configure ] || [ configure.ac -nt configure ]; then
		say "Making configure"
		autoreconf -fi >"$BUILD/autoreconf.log" 2>&1 || {
			cat "$BUILD/autoreconf.log"
			die "autoreconf failed"
		}
	fi
	if [ ! -e "$BUILD/Makefile" ] || [ configure -nt "$BUILD/config.status" ]; then
		say "Configuring ($BUILD)"
		(cd "$BUILD" && ../configure --prefix="$ROOT" \
		    >configure.log 2>&1) || {
			tail -n 20 "$BUILD/configure.log"
			die "configure failed, see $BUILD/configure.log"
		}
	fi
	say "Building ($(nproc) jobs, log in $log)"
	make -C "$BUILD" -j"$(nproc)" >"$log" 2>&1 || {
		tail -n 30 "$log"
		die "build failed, see $log"
	}
}
