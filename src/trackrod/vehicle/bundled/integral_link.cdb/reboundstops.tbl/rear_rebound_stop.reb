$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'reb'
 FILE_VERSION  =  4.0
 FILE_FORMAT   =  'ASCII'
(COMMENTS)
{comment_string}
 'Large car with integral link, rear rebound stop, force over penetration'
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
  5.0    832.3
 10.0   2378.1
 15.0   5350.8
 20.0  10463.7
 25.0  18430.4
 30.0  29964.2
 35.0  45778.7
 40.0  66587.2
