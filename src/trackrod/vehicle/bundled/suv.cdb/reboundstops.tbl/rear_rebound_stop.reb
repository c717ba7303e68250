$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'reb'
 FILE_VERSION  =  4.0
 FILE_FORMAT   =  'ASCII'
(COMMENTS)
{comment_string}
 'Sports utility vehicle, rear rebound stop, force over penetration'
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
  5.0    720.8
 10.0   2059.4
 15.0   4633.6
 20.0   9061.3
 25.0  15960.3
 30.0  25948.4
 35.0  39643.4
 40.0  57663.1
