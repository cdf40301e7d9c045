/** The version of the job title keywords. Increase it when a keyword changes, because a job title can then have another level. */
export const JOB_TITLES_VERSION = 1

/**
 * The keywords of one level. They are compared with the job title in lower case without accents; `*` stands for the rest of a word:
 * `*leiter` matches "marketingleiter".
 */
interface TitleRule<Level extends string> {
  level: Level
  words: string
}

export type Seniority = 'executive' | 'director' | 'manager' | 'specialist' | 'student'
export type JobFunction = 'marketing' | 'sales' | 'it' | 'finance' | 'hr' | 'operations' | 'research'

/**
 * Rules for the seniority of a job title; the first matching rule decides. Keywords are separated by commas and written in English, German,
 * French, Spanish, Italian, Dutch and Portuguese, in lower case without accents.
 */
export const SENIORITY_RULES: readonly TitleRule<Seniority>[] = [
  {
    level: 'student',
    words: `student*, *student, *studentin, phd candidate, doctoral candidate, intern, interns, internship, trainee*, apprentice*, azubi*,
      auszubildende*, praktikant*, *praktikant, doktorand*, lehrling*, etudiant*, stagiaire*, apprenti, apprentie, doctorant*, estudiante*,
      becario, becaria, practicante*, doctorando*, doctoranda*, studente, studentessa, stagista, stagisti, tirocinante*, dottorando, dottoranda,
      stageloper, promovendus, promovenda, leerling, estudante*, estagiario*, estagiaria*, doutorando*, doutoranda*, alumno, alumna, aluno, aluna`,
  },
  // Job titles below executive level that contain a word of an executive's title, such as executive assistant.
  {
    level: 'specialist',
    words: `executive assistant*, personal assistant*, business partner*, assistant to, assistant of, secretary to, assistenz*, *assistenz, assistentin*,
      assistant de direction, assistante de direction, asistente de direccion, asistente ejecutiv*, assistente di direzione,
      directiesecretar*, directieassistent*, assistente executiv*, assistente de direcao`,
  },
  {
    level: 'executive',
    words: `ceo, cto, cfo, coo, cmo, cio, cso, cpo, chro, chief *, c level, president, presidente, presidenta, vice president*, vicepresident*,
      vp, svp, evp, founder*, cofounder*, owner, managing director*, managing partner*, partner, general manager*, executive director*, chairman,
      chairwoman, chairperson, board member*, geschaftsfuhr*, geschaeftsfuehr*, *geschaftsfuhrer, vorstand*, vorstandsmitglied*, grunder, grunderin,
      inhaber, inhaberin, prasident*, aufsichtsrat*, pdg, directeur general, directrice generale, fondateur, fondatrice, gerant, gerante,
      proprietaire, director general, directora general, fundador, fundadora, consejero delegado, consejera delegada, propietario, propietaria,
      amministratore delegato, amministratrice delegata, direttore generale, direttrice generale, fondatore, titolare, algemeen directeur,
      bestuurder, bestuurslid, oprichter, eigenaar, diretor executivo, diretora executiva, diretor geral, diretora geral, socio, socia,
      proprietario, proprietaria`,
  },
  {
    level: 'director',
    words: `director*, head of, head, dean, direktor*, *direktor, *direktorin, bereichsleit*, abteilungsleit*, hauptabteilungsleit*, directeur,
      directrice, directeurs, chef de service, responsable de departement, direttore, direttrice, directeur*, afdelingshoofd, hoofd, diretor,
      diretora, jefe de departamento, jefa de departamento, dirigente, dirigenti`,
  },
  {
    level: 'manager',
    words: `manager*, *manager, *managerin, lead, leader, supervisor*, team lead*, teamlead*, teamleit*, *leiter, *leiterin, leiter*, leitung,
      *leitung, responsable*, chef de projet, cheffe de projet, chef d equipe, gerente*, jefe, jefa, encargado, encargada, coordinador*,
      coordinator*, koordinator*, coordinateur, coordinatrice, responsabile*, capo, coordinatore, teamleider, leidinggevende, coordenador*,
      supervisora, product owner, scrum master`,
  },
  {
    level: 'specialist',
    words: `specialist*, *spezialist, *spezialistin, spezialist*, engineer*, *ingenieur, ingenieur*, *ingenieurin, developer*, entwickler*,
      *entwickler, *entwicklerin, programmer*, designer*, analyst*, *analyst, consultant*, berater*, *berater, *beraterin, advisor*, adviser*,
      architect*, architekt*, scientist*, researcher*, professor*, lecturer*, teacher*, nurse*, doctor, physician*, lawyer*, attorney*, journalist*,
      editor*, accountant*, technician*, techniker*, *techniker, expert*, officer, associate*, representative*, assistant*, administrator*,
      sachbearbeit*, referent*, wissenschaftl*, redakteur*, arzt, arztin, jurist*, kaufmann, kauffrau, developpeur*, developpeuse*, analyste*,
      consultant*, conseiller*, conseillere*, architecte*, chercheur*, chercheuse*, professeur*, journaliste*, comptable*, technicien*, charge de,
      chargee de, avocat*, medecin*, infirmier*, especialista*, ingenier*, desarrollador*, disenador*, analista*, consultor*, asesor*, arquitect*,
      cientifico*, cientifica*, investigador*, profesor*, periodista*, contable*, tecnico*, tecnica*, abogad*, medico*, medica*, enfermer*,
      ingegner*, sviluppat*, consulent*, architett*, ricercat*, professoress*, giornalist*, contabile, avvocat*, infermier*, impiegat*,
      ontwikkelaar*, ontwerper*, adviseur*, onderzoeker*, docent*, boekhouder*, medewerker*, *medewerker, jurist*, arts, verpleegkundige*,
      engenheir*, desenvolvedor*, programador*, arquitet*, cientista*, pesquisador*, jornalista*, contador*, advogad*, enfermeir*`,
  },
]

export const JOB_FUNCTION_RULES: readonly TitleRule<JobFunction>[] = [
  {
    level: 'marketing',
    words: `marketing*, *marketing, cmo, brand*, branding, communication*, communications, kommunikation*, *kommunikation, comunicacion*,
      comunicazione*, communicatie*, comunicacao*, public relations, pr, press, presse*, prensa, stampa, pers, imprensa, social media, content*,
      advertising, werbung, werbe*, publicite, publicidad, pubblicita, publicidade, reclame, event*, events, seo, campaign*, media, mercadotecnia,
      mercadeo`,
  },
  {
    level: 'sales',
    words: `sales*, *sales, business development, account manager*, account executive*, key account*, vertrieb*, *vertrieb, *vertriebs*, verkauf*,
      *verkauf, *verkaufer, *verkauferin, aussendienst*, vente*, ventes, commercial*, commerciale*, vendeur*, vendeuse*, ventas, comercial*,
      vendedor*, vendite, venditor*, commercieel*, commerciele, verkoop*, *verkoop, verkoper*, vendas, desarrollo de negocio, sviluppo commerciale`,
  },
  {
    level: 'it',
    words: `it, cto, cio, software*, *software, developer*, entwickler*, *entwickler, *entwicklerin, programm*, *programmierer, data engineer*,
      data scientist*, devops, system administrator*, sysadmin*, systemadministrator*, informati*, *informatiker, *informatikerin, edv*, web,
      webmaster*, webentwickl*, cloud*, cyber*, security engineer*, network engineer*, database*, developpeur*, developpeuse*, desarrollador*,
      sviluppat*, ontwikkelaar*, desenvolvedor*, programador*, ict, tecnologia de la informacion, tecnologias de la informacion, ti, digital*,
      machine learning`,
  },
  {
    level: 'finance',
    words: `financ*, *finance, finanz*, *finanz, cfo, accounting, accountant*, accounts, controller*, controlling, *controlling, *controller,
      treasur*, treasury, buchhalt*, *buchhaltung, *buchhalter, *buchhalterin, rechnungswesen, steuer*, tax, audit*, auditor*, comptab*, tresor*,
      contab*, contable*, tesorer*, finanza*, boekhoud*, financieel*, financiele, fiscal*, contador*, payroll, invest*, banker*, banking, wirtschaftspruf*`,
  },
  {
    level: 'hr',
    words: `hr, human resources, people operations, people and culture, people culture, talent*, recruit*, *recruiter, personalleit*,
      personalwesen, personalreferent*, personalentwickl*, personalabteilung, chro, rh, ressources humaines, recrut*, recursos humanos, rrhh,
      seleccion de personal, risorse umane, selezione, personeelszaken, personeel*, p o, werving*, gestion de personas`,
  },
  {
    level: 'operations',
    words: `operation*, operations, coo, logisti*, *logistik, supply chain, procurement, purchas*, buyer*, einkauf*, *einkauf, *einkaufer,
      production, produktion*, *produktion, fertigung*, *fertigung, manufactur*, quality, qualitat*, achat*, acheteur*, operaciones, compras,
      produccion, calidad, operazioni, acquisti, produzione, qualita, operationele, inkoop*, productie*, kwaliteit*, operacoes, producao, qualidade,
      facilit*, office manager*, project manage*, projektleit*, projektmanage*, chef de projet, jefe de proyecto, capo progetto, projectleider*,
      gestor de projeto*, gerente de projeto*, warehouse*, lager*`,
  },
  {
    level: 'research',
    words: `research*, r d, scientist*, science, scientific*, scientif*, professor*, lecturer*, phd*, postdoc*, forsch*, *forscher, *forscherin,
      *forschung, wissenschaft*, dozent*, entwicklungsingenieur*, recherche*, chercheur*, chercheuse*, professeur*, scientifique*, investigacion*,
      investigador*, cientific*, profesor*, ricerca*, ricercat*, scienziat*, onderzoek*, wetenschap*, docent*, pesquis*, investigacao*, cientista*,
      innovation*, innovacion, innovazione, innovatie, inovacao, laborator*, labor`,
  },
]

/** Builds one PostgreSQL regular expression from a rule's keywords, to match job titles in lower case without accents. */
export const toJobTitlePattern = ({ words }: { words: string }): string =>
  listKeywords(words)
    .map((word) => `${word.startsWith('*') ? '' : '\\m'}${word.replaceAll(/^\*|\*$/g, '').trim()}${word.endsWith('*') ? '' : '\\M'}`)
    .join('|')

export const listKeywords = (words: string): string[] => words.split(',').map((word) => word.trim().replaceAll(/\s+/g, ' '))

/**
 * Lists LIKE patterns of the single words that keywords consist of, such as `%leiter`. A word of a job title that matches none of them
 * cannot affect the level of the title.
 */
export const listKeywordSqlLikePatterns = (rules: readonly { words: string }[]): string[] => [
  ...new Set(rules.flatMap(({ words }) => listKeywords(words).flatMap(listWordPatterns))),
]

function listWordPatterns(keyword: string): string[] {
  const words = keyword
    .replaceAll(/^\*|\*$/g, '')
    .trim()
    .split(' ')
  return words.map((word, index) => {
    const start = index === 0 && keyword.startsWith('*') ? '%' : ''
    return `${start}${word}${index === words.length - 1 && keyword.endsWith('*') ? '%' : ''}`
  })
}
