import type { ProfilePhrases } from '../phrases.ts'

export const portugueseProfilePhrases: ProfilePhrases = {
  'neutral.jobAtCompany': '{name} é {jobTitle} na empresa {company}{place}.',
  'neutral.job': '{name} é {jobTitle}{place}.',
  'neutral.company': '{name} trabalha na empresa {company}{place}.',
  'neutral.place': '{name} vem de {place}.',
  'neutral.interests': 'Interesses: {list}.',
  'neutral.sessions': 'Em {event}: {list}.',

  'warm.jobAtCompany': 'Apresentamos-lhe {name}, {jobTitle} na empresa {company}{place}.',
  'warm.job': 'Apresentamos-lhe {name}, {jobTitle}{place}.',
  'warm.company': 'Apresentamos-lhe {name}, da empresa {company}{place}.',
  'warm.place': 'Apresentamos-lhe {name}, de {place}.',
  'warm.interests': 'Gosta de conversar sobre: {list}.',
  'warm.sessions': 'Encontro possível em {event}: {list}.',

  'formal.jobAtCompany': '{name} exerce o cargo de {jobTitle} na empresa {company}{place}.',
  'formal.job': '{name} exerce o cargo de {jobTitle}{place}.',
  'formal.company': '{name} representa a empresa {company}{place}.',
  'formal.place': 'Local de atividade de {name}: {place}.',
  'formal.interests': 'Áreas de interesse: {list}.',
  'formal.sessions': 'Sessões em {event}: {list}.',
}
