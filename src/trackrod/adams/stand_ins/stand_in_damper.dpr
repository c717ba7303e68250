$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'dpr'
 FILE_VERSION  =  1.0
 FILE_FORMAT   =  'ASCII'
(COMMENTS)
{comment_string}
 'Stand-in of Trackrod: 1.5 N s/mm either way'
$--------------------------------------------------------------------------UNITS
[UNITS]
 LENGTH = 'mm'
 FORCE  = 'newton'
 ANGLE  = 'deg'
 MASS   = 'kg'
 TIME   = 'sec'
[CURVE]
{vel  force}
 -2000.0  -3000.0
     0.0      0.0
  2000.0   3000.0
