# SIMTLAB_COMPILE_FLAGS(VARIABLE, FLAGS)
# Puts those of FLAGS that the C compiler accepts into VARIABLE, in order, and substitutes it.
AC_DEFUN([SIMTLAB_COMPILE_FLAGS],[
    $1=
    for simtlab_flag in $2; do
        AC_MSG_CHECKING([whether $CC accepts $simtlab_flag])
        simtlab_save_CFLAGS=$CFLAGS
        CFLAGS="$CFLAGS -Werror $simtlab_flag"
        AC_COMPILE_IFELSE([AC_LANG_PROGRAM([],[])],
            [AC_MSG_RESULT([yes]); $1="$$1 $simtlab_flag"],
            [AC_MSG_RESULT([no])])
        CFLAGS=$simtlab_save_CFLAGS
    done
    AC_SUBST([$1])
])

# SIMTLAB_TARGET_FLAGS(NAME, FLAGS, MACRO)
# When the compiler takes all of FLAGS and then defines MACRO: NAME_CFLAGS holds them and HAVE_NAME_BUILD is true.
AC_DEFUN([SIMTLAB_TARGET_FLAGS],[
    AC_MSG_CHECKING([whether $CC compiles for $1])
    simtlab_save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $2"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #ifndef $3
        #error not this instruction set
        #endif
        ]],[])],
        [AC_MSG_RESULT([yes]); $1_CFLAGS="$2"],
        [AC_MSG_RESULT([no]); $1_CFLAGS=])
    CFLAGS=$simtlab_save_CFLAGS
    AC_SUBST([$1_CFLAGS])
    AM_CONDITIONAL([HAVE_$1_BUILD],[test -n "$$1_CFLAGS"])
])
