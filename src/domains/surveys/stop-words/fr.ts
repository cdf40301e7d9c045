export const frenchStopWords = `
à afin ai aie aient ainsi alors après as assez au aucun aucune aujourd'hui auprès auquel aura aurai aurait auront aussi autre autres aux
auxquels avaient avais avait avant avec avez aviez avions avoir avons ayant beaucoup bien c'est c'était car ce ceci cela celle celles celui
cependant certain certaine certaines certains ces cet cette ceux chaque chez ci comme comment d'un d'une dans de depuis des dès désormais
deux devait devant devra doit doivent donc dont du durant elle elles en encore enfin entre est et étaient étais était étant été être eu eux
fait fais faire fois font furent fut grâce hors ici il ils j'ai j'aurais j'avais j'étais je jusqu'à jusque l'on la là laquelle le lequel les
lesquelles lesquels leur leurs lors lorsque lui ma mais malgré me même mêmes mes mien moi moins mon n'a n'ai n'est n'était ne néanmoins ni
non nos notre nous on ont or ou où oui par parce parfois pas pendant peu peut peuvent peut-être plus plusieurs plutôt pour pourquoi pourtant
pouvait près puis puisque qu'elle qu'il qu'ils qu'on qu'un qu'une quand que quel quelle quelles quelque quelques quels qui quoi s'il sa sans
se selon sera serait seront ses seulement si sien soi soit sommes son sont sous souvent suis sur ta tandis tant te tel telle telles tels tes
toi ton toujours tous tout toute toutes très trop tu un une va vais vers voici voilà vont vos votre vous vraiment y
`
