import { toSlug } from '../kernel/ids.ts'

/** A hotel booking: hotel, room type, check-in and check-out. */
type Room = readonly [hotel: string, roomType: string, checkIn: string, checkOut: string]

/** A participant of the demo's conference and their choices. */
export interface Registrant {
  /** Time of registration: days before the demo is created, and the time of day. With 0 days, `time` is the minutes before instead. */
  on: readonly [days: number, time: string]
  first: string
  last: string
  email: string
  company: string
  job: string
  country: string
  pass: 'conference-pass' | 'online-pass'
  products: readonly string[]
  /** Sessions that the participant attends, by their index in the program. */
  hears: readonly number[]
  diet: 'all' | 'vegetarian' | 'vegan'
  /** Interests of a first-time attendee. */
  topics?: readonly string[]
  room?: Room
  /** True if the participant joins the waiting list of the hotel room, because it is fully booked. */
  waitsForRoom?: true
  guests?: readonly (readonly [first: string, last: string])[]
  discount?: string
  /** Tags, if a team member added the registration; omitted if the participant registered on the website. */
  byHand?: { tags: readonly string[] }
  /** Payment method, and days until payment. If omitted, the invoice stays unpaid. */
  pays?: readonly [method: 'bank' | 'card', days: number]
}

type PersonOptions = Partial<Omit<Registrant, 'on' | 'first' | 'last' | 'email' | 'company' | 'job' | 'country'>> & {
  /** The local part of the email address, for names that cannot be converted to one. */
  mail?: string
}

/** Builds an email address at a reserved example domain. */
const emailOf = (first: string, last: string, mail: string | undefined) =>
  `${mail ?? `${toSlug(first)}.${toSlug(last)}`}@example.${last.length % 2 === 0 ? 'org' : 'com'}`

function person(
  on: string,
  name: readonly [string, string],
  work: readonly [string, string, string],
  more: PersonOptions = {},
): Registrant {
  const [days, time] = on.split(' ') as [string, string]
  const [first, last] = name
  const [company, job, country] = work
  const { mail, ...rest } = more
  const email = emailOf(first, last, mail)
  return {
    on: [Number(days), time],
    first,
    last,
    email,
    company,
    job,
    country,
    pass: 'conference-pass',
    products: [],
    hears: [],
    diet: 'all',
    ...rest,
  }
}

const MEMBER = { byHand: { tags: ['member'] } } as const
const ONLINE = { pass: 'online-pass', pays: ['card', 0] } as const
const may = (day: number) => `2027-05-${String(day).padStart(2, '0')}`
const river = (from: number, until: number, type = 'king'): Room => ['ribeira', type, may(from), may(until)]
const hill = (from: number, until: number, type = 'double'): Room => ['pensao-alegre', type, may(from), may(until)]
const waitsFor = (room: Room) => ({ room, waitsForRoom: true }) as const

const bank = (days: number) => ({ pays: ['bank', days] }) as const
const card = (days = 0) => ({ pays: ['card', days] }) as const

/** Participants in order of registration, from six weeks ago. All names are fictional. */
export const REGISTRANTS: readonly Registrant[] = [
  person('42 09:14', ['Clara', 'Weiss'], ['Cumulus', 'Data engineer', 'DE'], { hears: [0, 2, 5], room: river(10, 14), ...bank(6) }),
  person('42 10:02', ['Bruno', 'Pinto'], ['Estuary', 'Platform engineer', 'PT'], { hears: [0, 2, 6], ...bank(9) }),
  person('42 15:47', ['Nora', 'Lindqvist'], ['Foxglove Labs', 'Designer', 'SE'], { hears: [0, 2, 7], diet: 'vegan' }),
  person('41 08:31', ['Pedro', 'Matos'], ['Gannet', 'Site reliability engineer', 'PT'], { hears: [0, 2, 9], ...bank(4) }),
  person('41 11:20', ['Hanna', 'Virtanen'], ['Ibis Works', 'Facilitator', 'FI'], { hears: [0, 1, 10, 12], room: hill(10, 13), ...bank(8) }),
  person('41 16:05', ['ليلى', 'الحداد'], ['مكتبة النيل', 'مديرة المشاريع', 'EG'], {
    mail: 'layla.alhaddad',
    topics: ['people'],
    ...card(),
  }),
  person('40 09:52', ['Łukasz', 'Wiśniewski'], ['Most Sp. z o.o.', 'Architect', 'PL'], {
    products: ['workshop-data'],
    hears: [0, 8],
    ...bank(5),
  }),
  person('37 13:38', ['Siobhán', "O'Brien-Ní Dhomhnaill"], ['Causeway Trust', 'Head of programmes', 'IE'], {
    guests: [['Cormac', "O'Brien"]],
    room: river(10, 13),
    ...bank(7),
  }),
  person('35 10:11', ['健太', '佐藤'], ['みなと工房', 'Engineer', 'JP'], { mail: 'kenta.sato', topics: ['design', 'data'], ...card() }),
  person('35 17:26', ['Emily', 'Carter'], ['Harbor & Main', 'Product manager', 'US'], { ...ONLINE }),
  person('34 09:40', ['Giulia', 'De Santis'], ['Officina Blu', 'Interaction designer', 'IT'], {
    products: ['workshop-design', 'gala-dinner'],
    room: hill(10, 14, 'attic'),
    ...bank(5),
  }),
  person('30 12:09', ['Anders', 'Sørensen'], ['Nordkyst', 'Chief technology officer', 'DK'], {
    ...MEMBER,
    room: river(10, 14, 'twin'),
    ...bank(10),
  }),
  person('28 08:20', ['María de los Ángeles', 'Fernández-Villanueva y Ortega'], ['Puentes Abiertos', 'Directora', 'ES'], {
    guests: [['Joaquín', 'Ortega']],
    products: ['gala-dinner'],
    ...bank(3),
  }),
  person('28 09:05', ['Tiago', 'Figueiredo'], ['Câmara de Lisboa', 'Service designer', 'PT'], {
    topics: ['design'],
    ...waitsFor(hill(11, 13, 'attic')),
    ...bank(12),
  }),
  person('28 09:33', ['Ngozi', 'Okonkwo'], ['Lagos Data Collective', 'Statistician', 'NG'], {
    products: ['workshop-data'],
    hears: [0, 8],
    ...card(),
  }),
  person('28 14:18', ['Oliver', 'Hughes'], ['Pennine Software', 'Engineering manager', 'GB'], { room: river(11, 13), ...bank(6) }),
  person('27 11:44', ['Ioana', 'Ștefănescu'], ['Dunărea Digital', 'Developer', 'RO'], {
    discount: 'save15',
    diet: 'vegetarian',
    ...waitsFor(hill(10, 13, 'attic')),
    ...card(),
  }),
  person(
    '27 10:27',
    ['Mohammed Abdulrahman', 'bin Yousef Al Qasimi'],
    ['Gulf Bridges Engineering Consultancy', 'Structural engineer', 'AE'],
    {
      room: river(9, 14),
      ...bank(8),
    },
  ),
  person('25 15:55', ['Grace', 'Mwangi'], ['Uhuru Systems', 'Database administrator', 'KE'], { ...ONLINE }),
  person('21 09:08', ['Олена', 'Шевченко'], ['Міст', 'Інженерка', 'UA'], { mail: 'olena.shevchenko', topics: ['operations'], ...card() }),
  person('21 13:01', ['Sanne', 'de Vries'], ['Waterkant', 'Team lead', 'NL'], { products: ['lisbon-tour'], ...MEMBER, ...bank(4) }),
  person('20 16:42', ['Diego', 'Ramírez'], ['Faro Norte', 'Consultant', 'MX'], { ...ONLINE }),
  person('17 09:19', ['Tomáš', 'Dvořák'], ['Vltava Labs', 'Developer', 'CZ'], { products: ['t-shirt'], ...card() }),
  person('15 10:50', ['Γιώργος', 'Παπαδόπουλος'], ['Γέφυρα', 'Μηχανικός', 'GR'], { mail: 'giorgos.papadopoulos', hears: [1, 6] }),
  person('14 08:45', ['Ayşe', 'Yıldırım'], ['Boğaz Yazılım', 'Quality engineer', 'TR'], { diet: 'vegetarian', ...bank(5) }),
  person('14 09:21', ['Jean-Baptiste', "d'Aubigné"], ['Atelier du Fleuve', 'Graphiste', 'FR'], {
    guests: [['Solène', "d'Aubigné"]],
    room: hill(10, 14),
    products: ['gala-dinner'],
  }),
  person('14 11:36', ['Catarina', 'Vasconcelos'], ['Rio Claro', 'Founder', 'PT'], { topics: ['people', 'operations'], ...card() }),
  person('13 17:12', ['נועה', 'לוי'], ['מגדלור', 'Researcher', 'IL'], { mail: 'noa.levi', ...ONLINE }),
  person('13 10:03', ['Zoë', 'van der Merwe'], ['Tafelberg Tech', 'Operations lead', 'ZA'], { room: river(10, 13), ...bank(4) }),
  person('3 09:27', ['Priyanka', 'Subramaniam'], ['Chennai Signal Works', 'Principal engineer', 'IN'], {
    products: ['workshop-design'],
    hears: [3],
    ...card(),
  }),
  person('7 14:49', ['서연', '김'], ['한강 스튜디오', 'Designer', 'KR'], { mail: 'seoyeon.kim', topics: ['design'] }),
  person('6 08:58', ['Þórdís', 'Guðmundsdóttir'], ['Hafnarverk', 'Harbour engineer', 'IS'], {
    diet: 'vegan',
    guests: [['Baldur', 'Einarsson']],
    ...bank(3),
  }),
  person(
    '6 11:15',
    ['Maximilian Friedrich', 'von Wolkenstein-Hohenberg zu Trautenau'],
    ['Donau-Bau Ingenieurgesellschaft mbH', 'Prokurist', 'AT'],
    {
      products: ['gala-dinner'],
    },
  ),
  person('5 09:36', ['Thị Minh Khai', 'Nguyễn'], ['Cầu Rồng', 'Developer', 'VN'], { ...ONLINE }),
  person('1 10:22', ['美玲', '陳'], ['港灣設計', 'Service designer', 'TW'], { mail: 'meiling.chen', topics: ['design', 'people'] }),
  person('0 55', ['Leonor', 'Brito'], ['Rio Claro', 'Developer', 'PT'], { products: ['t-shirt', 'lisbon-tour'], ...card() }),
]

/** Booth staff, registered by the team member responsible for exhibitors. */
export const EXHIBITOR_REGISTRANTS: readonly Registrant[] = [
  person('40 14:30', ['Ingrid', 'Solheim'], ['Borealis Systems', 'Field marketing', 'NO'], {
    products: ['booth-9', 'lead-app'],
    ...bank(11),
  }),
  person('37 11:10', ['Marek', 'Novák'], ['Cumulus', 'Partnerships', 'CZ'], { products: ['booth-9', 'lead-app'], ...bank(9) }),
  person('30 15:20', ['Lotte', 'Jansen'], ['Dunlin Design', 'Studio manager', 'NL'], { products: ['booth-6'], ...bank(14) }),
  person('21 10:40', ['Rosa', 'Medeiros'], ['Estuary', 'Sales', 'PT'], { products: ['booth-9'], ...bank(13) }),
  person('13 09:55', ['Hamid', 'Karimi'], ['Foxglove Labs', 'Community', 'SE'], { products: ['booth-6'] }),
  person('6 13:25', ['Paul', 'Fischer'], ['Gannet', 'Marketing', 'DE'], { products: ['booth-9'] }),
]

/** Speakers register for free. */
export const SPEAKER_REGISTRANTS: readonly Registrant[] = [
  person('35 10:00', ['Marta', 'Nunes'], ['Ponte & Filhos', 'Chief engineer', 'PT']),
  person('27 16:15', ['João', 'Sequeira'], ['Arco', 'Structural engineer', 'PT'], { diet: 'vegetarian' }),
  person('7 09:45', ['Aiko', 'Mori'], ['Shore Books', 'Author', 'JP']),
]

/** Members of a group with one shared order. */
export const GROUP_MEMBER_REGISTRANTS: readonly Registrant[] = [
  person('18 10:30', ['Beatriz', 'Moreira'], ['Universidade do Porto', 'Student', 'PT']),
  person('18 10:30', ['Duarte', 'Teixeira'], ['Universidade do Porto', 'Student', 'PT'], { diet: 'vegan' }),
  person('18 10:30', ['Francisca', 'Antunes'], ['Universidade do Porto', 'Student', 'PT']),
  person('18 10:30', ['Gonçalo', 'Ribeiro'], ['Universidade do Porto', 'Student', 'PT']),
  person('18 10:30', ['Íris', 'Monteiro'], ['Universidade do Porto', 'Student', 'PT'], { diet: 'vegetarian' }),
  person('18 10:30', ['Xavier', 'Queirós'], ['Universidade do Porto', 'Lecturer', 'PT']),
]

/** Unfinished registrations, with the page where each was abandoned. */
export const UNFINISHED_REGISTRANTS: readonly (readonly [Registrant, page: string])[] = [
  [person('32 18:20', ['Aarav', 'Patel'], ['Monsoon Metrics', 'Analyst', 'IN']), 'tickets'],
  [person('4 12:44', ['Chloé', 'Marchand'], ['Atelier du Fleuve', 'Développeuse', 'FR']), 'checkout'],
  [person('1 16:31', ['فاطمة الزهراء', 'الإدريسي'], ['جسور', 'مهندسة', 'MA'], { mail: 'fatima.elidrissi' }), 'needs'],
]

/** A participant on the waiting list, because all online passes were sold before. */
export const WAITLISTED_REGISTRANT = person('4 09:17', ['Björn', 'Åkesson'], ['Skärgård', 'Developer', 'SE'], { pass: 'online-pass' })

/** A participant who replaces a colleague. */
export const REPLACEMENT_REGISTRANT = person('9 10:12', ['Charlotte', 'Ellis'], ['Pennine Software', 'Staff engineer', 'GB'])
