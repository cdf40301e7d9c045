export const portugueseStopWords = `
a à acerca agora ainda além algo alguém algum alguma algumas alguns ali ambas ambos antes ao aos apenas apesar após aquela aquelas aquele
aqueles aqui aquilo as às assim até através bastante bem cada coisa com como contra contudo cujo da daquela daquele das de dela delas dele deles
demais depois desde dessa desse desta deste disso disto do dois dos durante e é ela elas ele eles em embora enquanto entre então era eram
éramos essa essas esse esses esta está estamos estão estar estas estava estavam este esteja estes esteve estive estiveram estou eu exceto faz
fazer fez fim foi fomos for fora foram fosse fui há haver havia isso isto já lá lhe lhes lo logo lugar mais mas me mediante meio menos mesma
mesmas mesmo mesmos meu meus mim minha minhas muita muitas muito muitos na nada não nas nela nele nem nenhum nenhuma nessa nesse nesta neste
ninguém no nos nós nossa nossas nosso nossos num numa nunca o onde os ou outra outras outro outros para pela pelas pelo pelos per perante pode
podem poderia pois por porque porém portanto posso pouca poucas pouco poucos qual quais qualquer quando quanto quantos quase que quê quem quer
realmente sem sempre sendo ser será seria seu seus se si sido sim só sob sobre sua suas tal também tampouco tanta tanto tão te tem têm temos
tenha tenho ter teu teus teve ti tido tinha tinham tive tiveram toda todas todavia todo todos tu tua tuas tudo última um uma umas uns vai vão vez
vezes você vocês vos vosso
`
