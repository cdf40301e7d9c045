export const italianStopWords = `
a abbia abbiamo abbiano abbiate ad adesso affinché agli ai al all' all'interno alla alle allo allora alcun alcuna alcune alcuni altra altre
altri altro anche ancora anzi appena assai avere aveva avevamo avevano avete avevo avrà avrebbe avuto ben bene benché c'è c'era c'erano che chi
ci ciascuno ciò cioè circa coi col come con contro così cosa cui da dagli dai dal dall' dalla dalle dallo davvero degli dei del dell' della
delle dello dentro di dietro dopo dove dovrebbe due dunque durante e è ebbe ecco ed entro era erano eravamo eri ero essendo essere fa fare
fatto fino forse fosse fra fu furono già gli ha hai hanno ho i il in infatti inoltre insieme invece io l' la là le lei li lo loro lui lungo ma
magari mai me meglio meno mentre mi mia mie miei mio molta molte molti molto ne né negli nei nel nell' nella nelle nello nessun nessuna
nessuno niente no noi non nostra nostre nostri nostro nulla o od ogni ognuno oltre oppure ora ovvero parecchio per perché perciò però più
poca poche pochi poco poi possono prima proprio può pure qua qual quale quali qualche qualcosa qualcuno quando quanta quante quanti quanto
quasi quel quell' quella quelle quelli quello questa queste questi questo qui quindi rispetto sarà sarebbe saranno se sé sebbene sei sempre
senza si sì sia siamo siano siate siete solo soltanto sono sopra sotto sta stata state stati stato stesso su sua subito sue sugli sui sul
sull' sulla sulle sullo suo suoi tale tali tanta tante tanti tanto te ti tra troppo tu tua tue tuo tuoi tutta tuttavia tutte tutti tutto un
un' una uno va verso vi voi vostra vostre vostri vostro
`
