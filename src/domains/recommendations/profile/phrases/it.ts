import type { ProfilePhrases } from '../phrases.ts'

export const italianProfilePhrases: ProfilePhrases = {
  'neutral.jobAtCompany': '{name} è {jobTitle} presso {company}{place}.',
  'neutral.job': '{name} è {jobTitle}{place}.',
  'neutral.company': '{name} lavora presso {company}{place}.',
  'neutral.place': '{name} viene da {place}.',
  'neutral.interests': 'Interessi: {list}.',
  'neutral.sessions': 'A {event}: {list}.',

  'warm.jobAtCompany': 'Le presentiamo {name}, {jobTitle} presso {company}{place}.',
  'warm.job': 'Le presentiamo {name}, {jobTitle}{place}.',
  'warm.company': 'Le presentiamo {name} di {company}{place}.',
  'warm.place': 'Le presentiamo {name}, da {place}.',
  'warm.interests': 'Parla volentieri di: {list}.',
  'warm.sessions': 'Da incontrare a {event}: {list}.',

  'formal.jobAtCompany': '{name} ricopre il ruolo di {jobTitle} presso {company}{place}.',
  'formal.job': '{name} ricopre il ruolo di {jobTitle}{place}.',
  'formal.company': '{name} rappresenta {company}{place}.',
  'formal.place': 'Sede di {name}: {place}.',
  'formal.interests': 'Aree di interesse: {list}.',
  'formal.sessions': 'Sessioni a {event}: {list}.',
}
