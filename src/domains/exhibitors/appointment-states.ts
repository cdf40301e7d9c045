import { states } from '../../kernel/states.ts'
import type { AppointmentStatus } from './tables.ts'

export const appointmentStates = states<AppointmentStatus>({
  noun: 'appointment',
  initial: 'booked',
  moves: {
    pending: ['booked', 'declined', 'cancelled'],
    booked: ['cancelled', 'completed', 'no_show'],
    declined: [],
    cancelled: [],
    completed: [],
    no_show: [],
  },
})

/** Those that keep their place and their people's time. */
export const LIVE = ['pending', 'booked'] as const
