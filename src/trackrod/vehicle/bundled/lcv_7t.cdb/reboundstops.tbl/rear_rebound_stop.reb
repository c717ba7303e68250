$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
 FILE_TYPE     =  'reb'
 FILE_VERSION  =  4.0
 FILE_FORMAT   =  'ASCII'
(COMMENTS)
{comment_string}
 'Light commercial vehicle, 7 t, rear rebound stop, force over penetration'
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
  0.0       0.0
  5.0    3861.4
 10.0   11032.5
 15.0   24823.1
 20.0   48542.9
 25.0   85501.7
 30.0  139009.3
 35.0  212375.3
 40.0  308909.5
