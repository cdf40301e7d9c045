import { type Examples, SUMMIT_SCOPE } from './example.ts'

const NIGHTS = ['2027-05-11', '2027-05-12']

export const ROOM_BLOCKS_EXAMPLES: Examples = {
  assign_block_to_group: async (stage) => {
    await stage.call('create_managed_group', { ...SUMMIT_SCOPE, name: 'Porto Guides', kind: 'other', payBy: 'members', flowSlug: 'attendee', admins: [] })
    const rooms = [{ hotelId: 'ribeira', roomTypeCode: 'twin', nights: NIGHTS, rooms: 2 }]
    return { ...SUMMIT_SCOPE, groupCode: 'porto-guides', rooms, releaseOn: '2027-04-20' }
  },
  update_group_block: () => ({
    ...SUMMIT_SCOPE,
    groupCode: 'uporto',
    set: [{ hotelId: 'ribeira', roomTypeCode: 'twin', nights: NIGHTS, rooms: 5 }],
    dryRun: true,
  }),
  move_hotel_reservations: () => ({
    ...SUMMIT_SCOPE,
    from: { hotelId: 'ribeira', roomTypeCode: 'king' },
    to: { hotelId: 'ribeira', roomTypeCode: 'twin' },
    count: 1,
    reason: 'A water pipe broke on the third floor.',
    dryRun: true,
  }),
  move_hotel_inventory: () => ({
    ...SUMMIT_SCOPE,
    fromHotel: { hotelId: 'ribeira', roomTypeCode: 'king' },
    toHotel: { hotelId: 'ribeira', roomTypeCode: 'twin' },
    nights: NIGHTS,
    rooms: 1,
    reason: 'More guests than expected share a room.',
    dryRun: true,
  }),
}
