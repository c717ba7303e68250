$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'reb'
 FILE_VERSION  =  1.0
 FILE_FORMAT   =  'ASCII'
(COMMENTS)
{comment_string}
 'Stand-in of Trackrod: 200 N/mm from contact on'
$--------------------------------------------------------------------------UNITS
[UNITS]
 LENGTH = 'mm'
 FORCE  = 'newton'
 ANGLE  = 'deg'
 MASS   = 'kg'
 TIME   = 'sec'
[CURVE]
{disp  force}
   0.0      0.0
 100.0  20000.0
