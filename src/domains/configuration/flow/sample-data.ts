/**
 * Sample answers for test participants. Phone numbers and addresses are valid and belong to public offices; the email domain does not
 * exist.
 */

export const SAMPLE_EMAIL_DOMAIN = 'rehearsal.invalid'

export interface SampleName {
  prefix: string
  firstName: string
  lastName: string
  suffix: string
  preferredName: string
  pronouns: string
}

const name = (firstName: string, lastName: string, more: Partial<SampleName> = {}): SampleName => ({
  prefix: 'Dr.',
  firstName,
  lastName,
  suffix: 'PhD',
  preferredName: firstName,
  pronouns: 'they/them',
  ...more,
})

/**
 * Sample names of test participants: ordinary and long names, names with apostrophe, hyphen, combining marks and emoji, in other scripts
 * and right to left.
 */
export const SAMPLE_NAMES: readonly SampleName[] = [
  name('Anna', 'Weber', { prefix: 'Ms.', pronouns: 'she/her' }),
  name('Sean', 'O’Brien-McCarthy', { prefix: 'Mr.', pronouns: 'he/him' }),
  name('Maximiliane Alexandra Friederike Wilhelmine', 'von und zu Hohenstein-Schwarzenberg-Löwenstein'),
  name('美咲', '山田', { preferredName: 'Misaki' }),
  name('محمد', 'الأحمد', { preferredName: 'Mo' }),
  name('Zoë 🎉', "D'Angelo", { suffix: 'Jr.' }),
  name('Łukasz', 'Żółć'),
  name('Ольга', 'Щербакова'),
  name('An', 'Ng'),
  name('Nguyễn Thị', 'Phương-Anh'),
  name('José', 'Núñez y Peña'),
  name('Σοφία', 'Παπαδοπούλου'),
]

export interface SampleAddress {
  address1: string
  address2: string
  city: string
  region: string
  postalCode: string
  country: string
  phone: string
}

export const SAMPLE_ADDRESSES: readonly SampleAddress[] = [
  {
    address1: 'Platz der Republik 1',
    address2: 'Haus 2',
    city: 'Berlin',
    region: 'BE',
    postalCode: '11011',
    country: 'DE',
    phone: '+493022732152',
  },
  {
    address1: '10 Downing Street',
    address2: 'Flat 1',
    city: 'London',
    region: 'England',
    postalCode: 'SW1A 2AA',
    country: 'GB',
    phone: '+442072193000',
  },
  {
    address1: '1600 Pennsylvania Avenue NW',
    address2: 'Suite 1',
    city: 'Washington',
    region: 'DC',
    postalCode: '20500',
    country: 'US',
    phone: '+12024561111',
  },
  {
    address1: '55 rue du Faubourg Saint-Honoré',
    address2: 'Bâtiment A',
    city: 'Paris',
    region: 'Île-de-France',
    postalCode: '75008',
    country: 'FR',
    phone: '+33142928100',
  },
  {
    address1: '永田町1-7-1',
    address2: '本館',
    city: '千代田区',
    region: '東京都',
    postalCode: '100-0014',
    country: 'JP',
    phone: '+81335815111',
  },
  {
    address1: 'Praça dos Três Poderes',
    address2: 'Anexo 1',
    city: 'Brasília',
    region: 'DF',
    postalCode: '70150-900',
    country: 'BR',
    phone: '+556134111221',
  },
  {
    address1: 'Parliament Drive 1',
    address2: 'Level 2',
    city: 'Canberra',
    region: 'ACT',
    postalCode: '2600',
    country: 'AU',
    phone: '+61262777111',
  },
  {
    address1: '111 Wellington Street',
    address2: 'Room 3',
    city: 'Ottawa',
    region: 'ON',
    postalCode: 'K1A 0A9',
    country: 'CA',
    phone: '+16139924793',
  },
]

export const SAMPLE_PHONES = SAMPLE_ADDRESSES.map(({ phone }) => phone)
export const SAMPLE_COUNTRIES = [...SAMPLE_ADDRESSES.map(({ country }) => country), 'CH', 'IN', 'ZA', 'KE', 'MX', 'SE']

/** Sample answers to text questions, by participant property. */
export const SAMPLE_TEXTS: Readonly<Record<string, readonly string[]>> = {
  jobTitle: ['Engineer', 'Head of Programmes & Partnerships', 'Профессор', '研究員'],
  company: ['Example GmbH', 'Smith & Sons (Holdings) Ltd.', 'Société d’Exemple', '株式会社サンプル'],
  department: ['Research', 'Finance & Control'],
  bio: ['Works on public transport and likes long walks.', 'Ingénieure depuis 2009 — “curieuse”. 🚲'],
  dietary: ['None', 'No nuts, please'],
  accessibility: ['None', 'Step-free access'],
  emergencyName: ['Robin Weber', 'O’Neill, Pat'],
  language: ['en', 'de', 'fr', 'ja'],
}
