import { computeJaroWinkler } from '../../../kernel/jaro-winkler.ts'
import { checkJsonPath, getLastKey, parseJsonPath } from './json-path.ts'

export interface MappingSuggestionSource {
  expression: string
  sampleType: string
}
export interface MappingSuggestionTarget {
  binding: string
  type: string
}
export interface SuggestedFieldMapping {
  from: string
  to: string
  transform: string | null
  score: number
}

const MIN_SUGGESTION_SCORE = 0.75

/** Normalized names that directories use for the standard fields. */
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

/**
 * Directory fields such as id and status, which identify or classify a record. They are not suggested for personal data even if their
 * name resembles a field.
 */
const CLASSIFICATION_FIELDS = new Set([
  'id',
  'name',
  'status',
  'state',
  'statecode',
  'type',
  'level',
  'category',
  'value',
  'membertype',
  'memberstatus',
])

/** Maximum length of names that must match exactly, because short names resemble too many other names. */
const MAX_EXACT_MATCH_LENGTH = 4

/** Transforms (conversions of a directory value) that are suggested for each type of field. */
const DEFAULT_TRANSFORMS: Readonly<Record<string, string>> = {
  text: 'trim',
  email: 'trim',
  country: 'country',
  phone: 'phone',
  number: 'number',
}

/** Suggests the best-scored bindings of directory values to fields. Each source and target is used once. */
export function suggestBindings(
  sources: readonly MappingSuggestionSource[],
  targets: readonly MappingSuggestionTarget[],
): SuggestedFieldMapping[] {
  const scored = sources.flatMap(({ expression, sampleType }) => {
    const leaf = checkJsonPath(expression) === null ? normalised(getLastKey(parseJsonPath(expression))) : ''
    if (leaf === '' || CLASSIFICATION_FIELDS.has(leaf)) return []
    return targets.map(({ binding, type }) => {
      const name = binding.split('.').at(-1) ?? ''
      const [own, other] = [alike(leaf, normalised(name)), Math.max(0, ...(ALIASES[name] ?? []).map((alias) => alike(leaf, alias)))]
      return { expression, binding, type, own, score: Math.max(own, other) * typeFit(sampleType, type) }
    })
  })
  const used = new Set<string>()
  return scored
    .filter(({ score }) => score >= MIN_SUGGESTION_SCORE)
    .toSorted((a, b) => b.score - a.score || b.own - a.own)
    .flatMap(({ expression, binding, type, score }) => {
      if (used.has(expression) || used.has(binding)) return []
      used.add(expression).add(binding)
      return [{ from: expression, to: binding, transform: DEFAULT_TRANSFORMS[type] ?? null, score: Math.round(score * 1000) / 1000 }]
    })
}

const alike = (leaf: string, known: string): number =>
  Math.min(leaf.length, known.length) <= MAX_EXACT_MATCH_LENGTH ? Number(leaf === known) : computeJaroWinkler(leaf, known)

const normalised = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
    .replace(/^(mailing|billing|primary)(?=.)/, '')

const TEXTS = new Set(['text', 'longText', 'email', 'phone', 'url', 'country', 'choice'])

/** Scores whether a directory value of one type fits a field of another: 1 fits unchanged, 0.5 fits after conversion, 0 never fits. */
function typeFit(source: string, target: string): number {
  if (source === target || (source === 'list' && target === 'multiChoice')) return 1
  if (source === 'object' || target === 'file') return 0
  if ((source === 'text' || source === 'string') && TEXTS.has(target)) return 1
  if (source === 'list' || target === 'multiChoice') return 0.5
  return source === 'boolean' || target === 'boolean' ? 0 : 0.5
}
