$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'reb'
 FILE_VERSION  =  4.0
 FILE_FORMAT   =  'ASCII'
(COMMENTS)
{comment_string}
 'Large car with integral link, front rebound stop, force over penetration'
$--------------------------------------------------------------------------UNITS
[UNITS]
 LENGTH  =  'mm'
 FORCE   =  'newton'
 ANGLE   =  'deg'
 MASS    =  'kg'
 TIME    =  'sec'
$--------------------------------------------------------------------------CURVE
[CURVE]
{disp  force}
  0.0      0.0
  5.0    926.7
 10.0   2647.8
 15.0   5957.5
 20.0  11650.3
 25.0  20520.4
 30.0  33362.2
 35.0  50970.1
 40.0  74138.3
