import type { ProfilePhrases } from '../phrases.ts'

export const germanProfilePhrases: ProfilePhrases = {
  'neutral.jobAtCompany': '{name} ist {jobTitle} bei {company}{place}.',
  'neutral.job': '{name} ist {jobTitle}{place}.',
  'neutral.company': '{name} arbeitet bei {company}{place}.',
  'neutral.place': '{name} kommt aus {place}.',
  'neutral.interests': 'Interessiert sich für {list}.',
  'neutral.sessions': 'Bei {event}: {list}.',

  'warm.jobAtCompany': 'Das ist {name}, {jobTitle} bei {company}{place}.',
  'warm.job': 'Das ist {name}, {jobTitle}{place}.',
  'warm.company': 'Das ist {name} von {company}{place}.',
  'warm.place': 'Das ist {name} aus {place}.',
  'warm.interests': 'Spricht gern über {list}.',
  'warm.sessions': 'Zu treffen bei {event}: {list}.',

  'formal.jobAtCompany': '{name} ist als {jobTitle} bei {company} tätig{place}.',
  'formal.job': '{name} ist als {jobTitle} tätig{place}.',
  'formal.company': '{name} vertritt {company}{place}.',
  'formal.place': '{name} ist ansässig in {place}.',
  'formal.interests': 'Interessengebiete: {list}.',
  'formal.sessions': 'Sitzungen bei {event}: {list}.',
}
