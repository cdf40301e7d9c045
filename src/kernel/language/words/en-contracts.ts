/** Texts of emails about changed rooms and the deadlines of room blocks. */
export const englishRoomContractTexts = {
  'mail.roomChanged.subject': 'Your room for {event} has changed',
  'mail.roomChanged.text': 'Your reservation {number} at {hotel} from {checkIn} to {checkOut} has changed.',
  'mail.roomChanged.price': 'See the current price and all details on your registration page.',
  'mail.blockDeadline.subject': 'Name your guests by {deadline}: {event}',
  'mail.blockDeadline.text': 'The block {block} has {unbooked} room nights without a guest. Name your guests by {deadline}.',
  'mail.blockDeadline.then': 'Rooms without a guest are released at the end of that day.',
  'mail.blockEnded.subject': 'Unused rooms released: {event}',
  'mail.blockEnded.text': 'The deadline of the block {block} has passed. {unbooked} room nights without a guest were released.',
  'mail.blockEnded.kept': 'Booked rooms stay booked.',
} as const
