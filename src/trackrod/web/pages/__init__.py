"""The pages, in the order of the work; one file each, one function `page` each."""
