import type { ProfilePhrases } from '../phrases.ts'

export const frenchProfilePhrases: ProfilePhrases = {
  'neutral.jobAtCompany': '{name} est {jobTitle} chez {company}{place}.',
  'neutral.job': '{name} est {jobTitle}{place}.',
  'neutral.company': '{name} travaille chez {company}{place}.',
  'neutral.place': '{name} vient de {place}.',
  'neutral.interests': 'Centres d’intérêt : {list}.',
  'neutral.sessions': 'À {event} : {list}.',

  'warm.jobAtCompany': 'Faites la connaissance de {name}, {jobTitle} chez {company}{place}.',
  'warm.job': 'Faites la connaissance de {name}, {jobTitle}{place}.',
  'warm.company': 'Faites la connaissance de {name}, de {company}{place}.',
  'warm.place': 'Faites la connaissance de {name}, de {place}.',
  'warm.interests': 'Parle volontiers de : {list}.',
  'warm.sessions': 'À rencontrer à {event} : {list}.',

  'formal.jobAtCompany': '{name} exerce la fonction de {jobTitle} chez {company}{place}.',
  'formal.job': '{name} exerce la fonction de {jobTitle}{place}.',
  'formal.company': '{name} représente {company}{place}.',
  'formal.place': 'Lieu d’activité de {name} : {place}.',
  'formal.interests': 'Domaines d’intérêt : {list}.',
  'formal.sessions': 'Sessions à {event} : {list}.',
}
