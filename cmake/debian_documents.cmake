# Adds to each of CPack's staged packages what Debian wants in every one: its copyright, with those of the packages that it
# contains parts of, its changelog, and manuals compressed. Runs as one of CPACK_PRE_BUILD_SCRIPTS.
cmake_policy(VERSION 3.25)

file(READ ${CPACK_MUSTER_LICENSE} license)
string(REGEX MATCH "--- LLVM Exceptions.*" exceptions "${license}")
string(REGEX REPLACE "\n+$" "" exceptions "${exceptions}")
string(REGEX REPLACE "\n\n+" "\n.\n" exceptions "${exceptions}")
string(REPLACE "\n" "\n " exceptions "${exceptions}")
string(TIMESTAMP year "%Y" UTC)
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: muster

Files: *
Copyright: ${year} muster's authors
License: Apache-2.0-with-LLVM-exception
 The text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.
 .
 ${exceptions}
")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog "muster (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) stable; urgency=medium

  * Packages of muster ${CPACK_PACKAGE_VERSION}, as its own build makes them.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")

# Replaces a file by a compressed one.
function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(stage ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  set(documents ${stage}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  file(WRITE ${documents}/copyright "${copyright}")
  foreach(other ${CPACK_MUSTER_${upper}_CONTAINS})
    configure_file(/usr/share/doc/${other}/copyright ${documents}/copyright.${other} COPYONLY)
  endforeach()
  file(WRITE ${documents}/changelog.Debian "${changelog}")
  compress(${documents}/changelog.Debian)
  file(GLOB manuals ${stage}/share/man/man*/*.[1-9])
  foreach(manual ${manuals})
    compress(${manual})
  endforeach()
endforeach()
