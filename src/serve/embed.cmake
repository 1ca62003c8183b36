# Writes OUTPUT, a C file that holds the bytes of FILES (see page.h).
#   cmake -DOUTPUT=page.c "-DFILES=page/index.html;page/page.js" -P embed.cmake
set(arrays "")
set(rows "")
set(count 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const unsigned char file_${count}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", file_${count}, ${size}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"serve/page.h\"\n\n${arrays}\n"
                     "const struct page_file page_files[] = {\n${rows}};\n"
                     "const size_t page_file_count = ${count};\n")
