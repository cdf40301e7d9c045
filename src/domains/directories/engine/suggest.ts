import { jaroWinkler } from '../../../kernel/jaro-winkler.ts'
import { checkPath, leafOf, parsePath } from './json-path.ts'

export interface SuggestSource {
  expression: string
  sampleType: string
}
export interface SuggestTarget {
  binding: string
  type: string
}
export interface SuggestedBinding {
  from: string
  to: string
  transform: string | null
  score: number
}

const ENOUGH = 0.75

/** How directories call what the standard fields hold, normalised. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  prefix: ['salutation', 'anrede', 'civility'],
  firstName: ['givenname', 'forename', 'vorname', 'prenom', 'nombre'],
  lastName: ['surname', 'familyname', 'nachname', 'nomdefamille', 'apellido', 'apellidos'],
  preferredName: ['nickname', 'knownas', 'informalname'],
  email: ['emailaddress', 'mail', 'emailprimary', 'correo'],
  jobTitle: ['position', 'jobrole', 'functionaltitle'],
  company: ['organization', 'organisation', 'companyname', 'employer', 'institution', 'firma', 'entreprise', 'empresa'],
  department: ['division', 'abteilung'],
  website: ['homepage'],
  linkedin: ['linkedinurl', 'linkedinprofile'],
  workPhone: ['phone', 'telephone', 'businessphone', 'officephone', 'telefon'],
  mobilePhone: ['cellphone', 'cell', 'mobilenumber', 'handynummer'],
  address1: ['street', 'streetaddress', 'addressline1', 'strasse'],
  address2: ['addressline2'],
  city: ['town', 'ort', 'ville', 'ciudad'],
  region: ['province', 'stateprovince', 'county'],
  postalCode: ['zip', 'zipcode', 'postcode', 'plz'],
  country: ['countrycode', 'land', 'pays'],
  language: ['preferredlanguage', 'locale', 'sprache'],
}

/** What a record is sorted by says nothing of the person, however much the word is like the name of a field. */
const SORTING = new Set(['id', 'name', 'status', 'state', 'statecode', 'type', 'level', 'category', 'value', 'membertype', 'memberstatus'])

/** Words so short are like too many others: they count only when they are the same. */
const TOO_SHORT = 4

/** The transform that makes a source fit, by the target's type. */
const TRANSFORM_FOR: Readonly<Record<string, string>> = {
  text: 'trim',
  email: 'trim',
  country: 'country',
  phone: 'phone',
  number: 'number',
}

/** The likely binding of each source: the best score first, and each source and target once. */
export function suggestBindings(sources: readonly SuggestSource[], targets: readonly SuggestTarget[]): SuggestedBinding[] {
  const scored = sources.flatMap(({ expression, sampleType }) => {
    const leaf = checkPath(expression) === null ? normalised(leafOf(parsePath(expression))) : ''
    if (leaf === '' || SORTING.has(leaf)) return []
    return targets.map(({ binding, type }) => {
      const name = binding.split('.').at(-1) ?? ''
      const [own, other] = [alike(leaf, normalised(name)), Math.max(0, ...(ALIASES[name] ?? []).map((alias) => alike(leaf, alias)))]
      return { expression, binding, type, own, score: Math.max(own, other) * typeFit(sampleType, type) }
    })
  })
  const used = new Set<string>()
  return scored
    .filter(({ score }) => score >= ENOUGH)
    .toSorted((a, b) => b.score - a.score || b.own - a.own)
    .flatMap(({ expression, binding, type, score }) => {
      if (used.has(expression) || used.has(binding)) return []
      used.add(expression).add(binding)
      return [{ from: expression, to: binding, transform: TRANSFORM_FOR[type] ?? null, score: Math.round(score * 1000) / 1000 }]
    })
}

const alike = (leaf: string, known: string): number =>
  Math.min(leaf.length, known.length) <= TOO_SHORT ? Number(leaf === known) : jaroWinkler(leaf, known)

const normalised = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
    .replace(/^(mailing|billing|primary)(?=.)/, '')

const TEXTS = new Set(['text', 'longText', 'email', 'phone', 'url', 'country', 'choice'])

/** 1: kept as it is; 0.5: can be made to fit; 0: never. */
function typeFit(source: string, target: string): number {
  if (source === target || (source === 'list' && target === 'multiChoice')) return 1
  if (source === 'object' || target === 'file') return 0
  if ((source === 'text' || source === 'string') && TEXTS.has(target)) return 1
  if (source === 'list' || target === 'multiChoice') return 0.5
  return source === 'boolean' || target === 'boolean' ? 0 : 0.5
}
