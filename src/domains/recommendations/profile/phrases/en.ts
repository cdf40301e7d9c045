/** Phrases for profiles that are written without a language model. These keys are required in every language. */
export const englishProfilePhrases = {
  'neutral.jobAtCompany': '{name} is {jobTitle} at {company}{place}.',
  'neutral.job': '{name} is {jobTitle}{place}.',
  'neutral.company': '{name} works at {company}{place}.',
  'neutral.place': '{name} comes from {place}.',
  'neutral.interests': 'Interested in {list}.',
  'neutral.sessions': 'At {event}: {list}.',

  'warm.jobAtCompany': 'Meet {name}, {jobTitle} at {company}{place}.',
  'warm.job': 'Meet {name}, {jobTitle}{place}.',
  'warm.company': 'Meet {name} of {company}{place}.',
  'warm.place': 'Meet {name} from {place}.',
  'warm.interests': 'Happy to talk about {list}.',
  'warm.sessions': 'Say hello at {event}: {list}.',

  'formal.jobAtCompany': '{name} serves as {jobTitle} at {company}{place}.',
  'formal.job': '{name} serves as {jobTitle}{place}.',
  'formal.company': '{name} represents {company}{place}.',
  'formal.place': '{name} is based in {place}.',
  'formal.interests': 'Fields of interest: {list}.',
  'formal.sessions': 'Sessions at {event}: {list}.',
}
