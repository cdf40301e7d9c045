import { type Examples, registerAttendee, SUMMIT_SCOPE } from './example.ts'

export const ONSITE_EXAMPLES: Examples = {
  get_onsite_summary: () => ({ ...SUMMIT_SCOPE, day: '2027-05-11' }),
  list_attendance: () => ({ ...SUMMIT_SCOPE, result: 'refused' }),
  record_attendance: async (stage) => {
    const { confirmationNumber } = await registerAttendee(stage, 'Tomé', 'Vidal', 'Harbour Lines')
    return { ...SUMMIT_SCOPE, scans: [{ confirmationNumber, direction: 'in', deviceName: 'Front desk' }] }
  },
  import_attendance: async (stage) => {
    const { confirmationNumber } = await registerAttendee(stage, 'Inês', 'Prado', 'Harbour Lines')
    return { ...SUMMIT_SCOPE, rows: [{ confirmationNumber, at: '2027-05-11T08:05:00Z', direction: 'in', deviceName: 'Handheld 3' }], dryRun: true }
  },
  rotate_badge_id: async (stage) => {
    const { participantId } = await registerAttendee(stage, 'Clara', 'Sousa', 'Harbour Lines')
    return { ...SUMMIT_SCOPE, participantIds: [participantId], reason: 'lost' }
  },
  import_appointment_offerings: () => ({
    ...SUMMIT_SCOPE,
    rows: [{ company: 'Harbour Lines', day: '2027-05-11', from: '09:00', until: '12:00', minutes: 30, breakMinutes: 5 }],
    dryRun: true,
  }),
}
