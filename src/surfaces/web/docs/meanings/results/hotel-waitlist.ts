import type { FieldDocsByTool } from '../meanings.ts'

export const HOTEL_WAITLIST_RESULT_DOCS: FieldDocsByTool = {
  fill_hotel_waitlist: {
    filled: 'Number of people who got a room.',
    offered: 'Number of people who got an offer.',
    charged: 'Number of cards charged, and the total. In a dry run: what would be charged first.',
    waiting: 'Entries that still wait, without those whose card is being charged.',
    jobId: 'Id of the job, if more than 20 cards are charged or more than 100 entries served.',
    status: 'State of the job.',
    progress: 'Entries that the job has processed, of all.',
  },
  remove_from_hotel_waitlist: {
    removed: 'Number of entries removed.',
    skipped: 'Entries that were not removed: filled, removed before, unknown, or with a charge in progress.',
  },
}
