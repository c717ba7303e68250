$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'reb'
 FILE_VERSION  =  4.0
 FILE_FORMAT   =  'ASCII'
(COMMENTS)
{comment_string}
 'Double wishbone car, front rebound stop, force over penetration'
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
  5.0    660.7
 10.0   1887.8
 15.0   4247.5
 20.0   8306.2
 25.0  14630.3
 30.0  23786.0
 35.0  36339.8
 40.0  52857.8
