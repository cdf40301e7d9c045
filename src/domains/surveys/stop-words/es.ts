export const spanishStopWords = `
a al algo alguien algún alguna algunas alguno algunos allí ambos ante antes aquel aquella aquellas aquello aquellos aquí así aún aunque bajo
bastante bien cada casi como cómo con contra cual cuál cuales cuáles cualquier cualquiera cuando cuándo cuanto cuánto de debe deben del desde
después donde dónde dos durante e el él ella ellas ello ellos en entonces entre era eran eras es esa esas ese eso esos está estaba estaban
estado están estar estas este esto estos estoy estuve estuvo fue fueron fui gran ha haber había habían habrá han has hasta hay haya he hemos
hizo hubo incluso la las le les lo los luego más me menos mi mí mientras mis misma mismas mismo mismos mucha muchas mucho muchos muy nada nadie
ni ningún ninguna ninguno no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poca pocas poco pocos
podría por porque pues que qué quien quién quienes quizá quizás realmente se sea sean según ser será si sí sido siempre sin sino sobre sois
solamente solo sólo somos son soy su sus suya suyas suyo suyos tal también tampoco tan tanta tanto te tendrá tenemos tener tengo tenía ti tiene
tienen toda todas todavía todo todos tu tú tus tuve tuvo tuya tuyo u un una unas uno unos usted ustedes va vamos van vez vosotras vosotros
vuestra vuestro y ya yo
`
