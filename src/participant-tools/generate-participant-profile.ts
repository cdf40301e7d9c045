import { z } from 'zod'
import { count, flag, list, locale, oneOf, untrustedText, text } from '../kernel/args.ts'
import { registrantTool } from '../kernel/participant-tool.ts'
import { requestLanguageModelProfile, generateProfile } from '../domains/recommendations/profile/generate.ts'
import { PROFILE_TONES } from '../domains/recommendations/profile/phrases.ts'

export default registrantTool({
  name: 'generate_participant_profile',
  title: 'Write a profile',
  description:
    'Write a short bio about the person, an intro or networking blurb of a few lines from what they entered, and save it on their profile in place of an earlier one; this cannot be undone. Ask first; dryRun shows it. Not for changing answers (use update_my_registration). Returns the text and which answers it used.',
  effect: 'destructive',
  dryRun: true,
  openWorld: true,
  unidentifiedMessage: 'No participant identity available',
  input: { tone: oneOf(PROFILE_TONES).default('neutral'), language: locale().optional(), maxWords: count(30, 120).default(80) },
  output: {
    profile: untrustedText(),
    words: count(),
    generator: text(),
    usedFields: list(text()),
    replaced: flag(),
    note: z.string().optional(),
  },
  prefetch: (ctx, input) => requestLanguageModelProfile(ctx, ctx.model, ctx.person.participantId, input),
  run: (ctx, input, reached) => generateProfile(ctx, ctx.person.participantId, input, reached),
})
