# Writes FILES, separated by "|", to OUTPUT as rows of an array of C++: {"NAME", R"~(TEXT)~"}, with the files' names. Runs at
# build time: cmake -DOUTPUT=... -DFILES=... -P embed_files.cmake.
cmake_policy(VERSION 3.25)
string(REPLACE "|" ";" files "${FILES}")
set(rows "")
foreach(file ${files})
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND rows "{\"${name}\", R\"~(${text})~\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${rows}")
