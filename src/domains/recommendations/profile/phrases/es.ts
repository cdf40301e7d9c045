import type { ProfilePhrases } from '../phrases.ts'

export const spanishProfilePhrases: ProfilePhrases = {
  'neutral.jobAtCompany': '{name} es {jobTitle} en {company}{place}.',
  'neutral.job': '{name} es {jobTitle}{place}.',
  'neutral.company': '{name} trabaja en {company}{place}.',
  'neutral.place': '{name} viene de {place}.',
  'neutral.interests': 'Le interesa: {list}.',
  'neutral.sessions': 'En {event}: {list}.',

  'warm.jobAtCompany': 'Le presentamos a {name}, {jobTitle} en {company}{place}.',
  'warm.job': 'Le presentamos a {name}, {jobTitle}{place}.',
  'warm.company': 'Le presentamos a {name}, de {company}{place}.',
  'warm.place': 'Le presentamos a {name}, de {place}.',
  'warm.interests': 'Le encanta hablar de: {list}.',
  'warm.sessions': 'Salúdele en {event}: {list}.',

  'formal.jobAtCompany': '{name} desempeña el cargo de {jobTitle} en {company}{place}.',
  'formal.job': '{name} desempeña el cargo de {jobTitle}{place}.',
  'formal.company': '{name} representa a {company}{place}.',
  'formal.place': '{name} reside en {place}.',
  'formal.interests': 'Áreas de interés: {list}.',
  'formal.sessions': 'Sesiones en {event}: {list}.',
}
