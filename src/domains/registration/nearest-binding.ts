import { findMostSimilarName } from '../../kernel/nearest.ts'

/** Names that people and other systems use for the properties of a participant, in lower case and without spaces. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  prefix: ['salutation', 'honorific', 'title'],
  firstName: ['givenname', 'forename'],
  lastName: ['surname', 'familyname'],
  preferredName: ['nickname', 'badgename', 'displayname'],
  email: ['mail', 'emailaddress'],
  jobTitle: ['position', 'role', 'occupation', 'profession', 'function'],
  company: ['employer', 'organization', 'organisation', 'firm', 'workplace', 'institution'],
  mobilePhone: ['phone', 'telephone', 'cell', 'cellphone', 'phonenumber'],
  workPhone: ['officephone', 'businessphone'],
  address1: ['street', 'address', 'addressline', 'addressline1'],
  city: ['town', 'place'],
  region: ['state', 'province', 'county'],
  postalCode: ['zip', 'zipcode', 'postcode'],
  country: ['nation', 'countrycode'],
  language: ['locale', 'lang'],
  dietary: ['diet', 'allergies', 'allergy', 'dietaryrequirements', 'food'],
  accessibility: ['disability', 'specialneeds', 'accessneeds'],
  bio: ['biography', 'about'],
  headshot: ['photo', 'picture', 'portrait'],
  website: ['url', 'homepage'],
  memberNumber: ['membership', 'memberid', 'membershipnumber'],
}

/**
 * Finds the known binding (identifier of a question) that a misspelled or differently named one most likely means; null if none is close.
 */
export function findSimilarAnswerKey(binding: string, known: readonly string[]): string | null {
  const near = findMostSimilarName(binding, known)
  if (near !== null) return near
  const word = binding
    .slice(binding.lastIndexOf('.') + 1)
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '')
  const meant = Object.entries(OTHER_NAMES).find(([, names]) => names.includes(word))
  const found = meant && `@participant.${meant[0]}`
  return found !== undefined && known.includes(found) ? found : null
}
