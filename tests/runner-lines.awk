# Of the reports of `simtlab batch`, the lines that cuda/runner prints for the same launches.
/"status": "ok"/ {
    match($0, /"name": "[^"]*"/)
    name = substr($0, RSTART + 9, RLENGTH - 10)
    rest = substr($0, index($0, "\"buffers\":"))
    while (match(rest, /"arg": [0-9]+, "type": "[a-z0-9]+", "bytes": [0-9]+, "fnv1a64": "[0-9a-f]+"/)) {
        split(substr(rest, RSTART, RLENGTH), part, /[:,] */)
        gsub(/"/, "", part[8])
        print name " arg" part[2] " bytes=" part[6] " fnv=" part[8]
        rest = substr(rest, RSTART + RLENGTH)
    }
}
