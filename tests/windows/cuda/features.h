// What CUDA's headers ask glibc's of this name for.

#define __THROW
#define __GLIBC_PREREQ(major, minor) 0
#define __GNUC_PREREQ(major, minor) 0
#define __GLIBC_USE_ISOC23 0
