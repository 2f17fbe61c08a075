; Here (car '()) is the bug.
#| not " a (string |#
(define (square-root? x) (= (* x x) 4))
(define message "a \" ; no comment")
(define (main)
  (display message)
  (let ((result (car '())))
    (if (square-root? 22) (display "yes") (display result))))
(main)
// keep: ( car '( ) ) | ( main )
// becomes: 63 tokens -> 9
(car '())
(main)
