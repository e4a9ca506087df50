/** The normal distribution's 97.5% quantile: a 95% interval is a value ± this many standard errors. */
export const quantileOf975 = 1.959963984540054
