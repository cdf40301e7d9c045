import type { ProfilePhrases } from '../phrases.ts'

export const dutchProfilePhrases: ProfilePhrases = {
  'neutral.jobAtCompany': '{name} is {jobTitle} bij {company}{place}.',
  'neutral.job': '{name} is {jobTitle}{place}.',
  'neutral.company': '{name} werkt bij {company}{place}.',
  'neutral.place': '{name} komt uit {place}.',
  'neutral.interests': 'Geïnteresseerd in {list}.',
  'neutral.sessions': 'Op {event}: {list}.',

  'warm.jobAtCompany': 'Maak kennis met {name}, {jobTitle} bij {company}{place}.',
  'warm.job': 'Maak kennis met {name}, {jobTitle}{place}.',
  'warm.company': 'Maak kennis met {name} van {company}{place}.',
  'warm.place': 'Maak kennis met {name} uit {place}.',
  'warm.interests': 'Praat graag over {list}.',
  'warm.sessions': 'Te ontmoeten op {event}: {list}.',

  'formal.jobAtCompany': '{name} is werkzaam als {jobTitle} bij {company}{place}.',
  'formal.job': '{name} is werkzaam als {jobTitle}{place}.',
  'formal.company': '{name} vertegenwoordigt {company}{place}.',
  'formal.place': '{name} is gevestigd in {place}.',
  'formal.interests': 'Interessegebieden: {list}.',
  'formal.sessions': 'Sessies op {event}: {list}.',
}
