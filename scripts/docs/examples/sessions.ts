import { type Examples, SUMMIT_SCOPE } from './example.ts'

export const SESSIONS_EXAMPLES: Examples = {
  list_speakers: () => ({ ...SUMMIT_SCOPE, missing: ['headshot'], limit: 3 }),
  manage_speaker: async (stage) => {
    const { speakers } = await stage.call('list_speakers', SUMMIT_SCOPE)
    return { ...SUMMIT_SCOPE, action: 'invite', speakerIds: [speakers[0].id], message: 'We look forward to your talk.' }
  },
  import_speakers: () => ({
    ...SUMMIT_SCOPE,
    rows: [
      { 'First name': 'Amara', 'Last name': 'Osei', Email: 'amara@opengauge.example', Company: 'Open Gauge' },
      { 'First name': 'Kofi', 'Last name': 'Mensah', Email: 'kofi@leakless', Company: 'Leakless' },
    ],
  }),
  list_submissions: () => ({ ...SUMMIT_SCOPE, sort: 'score' }),
  get_submission: async (stage) => {
    const draft = { title: 'Ten gauges for a small town', trackCode: 'build', formatCode: 'talk', abstract: 'How a town of 4,000 can start.' }
    const { submission } = await stage.call('manage_submission', { ...SUMMIT_SCOPE, action: 'create', ...draft })
    return { ...SUMMIT_SCOPE, number: submission.number, include: ['reviews', 'similar'] }
  },
  manage_submission: () => ({
    ...SUMMIT_SCOPE,
    action: 'create',
    title: 'What 4,000 cheap gauges showed us',
    trackCode: 'build',
    formatCode: 'talk',
  }),
}
