/** A clause of the built-in clause library. */
export interface LibraryClause {
  key: string
  title: string
  /** The text of the clause. `{{name}}` is a variable, or a list of lines if the name is in `MULTI_LINE_PLACEHOLDERS`. */
  body: string
  /** The text of the clause that is used if the supplier's offer has no such term. */
  without?: string
}

/** Names in clause texts that stand for a list of lines, such as one line for each night, rate, deposit or concession of the offer. */
export const MULTI_LINE_PLACEHOLDERS = ['nights', 'rateLines', 'steps', 'depositLines', 'spaces', 'concessionLines'] as const

/** The clauses of a contract with a hotel or venue, in their order. A client can replace the texts in its sourcing settings. */
export const CLAUSE_LIBRARY: readonly LibraryClause[] = [
  {
    key: 'roomBlock',
    title: 'Room block',
    body: 'The hotel holds {{roomNights}} room nights for the client from arrival on {{arrival}} to departure on {{departure}}:\n{{nights}}\nThe hotel holds these rooms on a definite basis from the day both parties have signed and does not offer them to others before the cut-off date.',
    without: 'The parties agree on no sleeping rooms. Arrival is {{arrival}} and departure is {{departure}}.',
  },
  {
    key: 'rates',
    title: 'Rates',
    body: 'The following group rates apply per room and night:\n{{rateLines}}\nTaxes of {{taxPercent}} percent and a fee of {{feePerNight}} per room and night are added. The hotel does not raise the group rates and adds no other mandatory charge. The group rates also apply on the {{shoulderDays}} days before arrival and after departure while rooms are available. If the hotel publishes a lower rate for the same room and night, the group pays the lower rate.',
    without: 'No group rates for sleeping rooms are agreed.',
  },
  {
    key: 'cutoff',
    title: 'Cut-off date',
    body: 'The cut-off date is {{cutoffOn}}, {{cutoffDays}} days before arrival. Rooms of the block that are not reserved at the end of that day return to the hotel for general sale. Reservations made before then stay valid. After the cut-off date the hotel accepts reservations at the group rate while rooms are available, and these rooms count as used rooms of the block. The client sends the rooming list by {{roomingListOn}} and guests can be renamed without charge until {{nameDeadlineOn}}.',
  },
  {
    key: 'attrition',
    title: 'Attrition',
    body: 'The client guarantees {{commitPercent}} percent of the room block, counted {{counting}}. For each guaranteed room night that is not used, the client pays {{profitPercent}} percent of the average group rate, without taxes. Rooms that the hotel resells are credited {{resaleCredit}}. This payment is the only compensation for unused rooms, and the hotel proves the resold rooms on request.',
  },
  {
    key: 'cancellation',
    title: 'Cancellation',
    body: 'The client may cancel the event by written notice. It then pays a percentage of the committed amount as liquidated damages:\n{{steps}}\nBefore the first of these periods the client may cancel without payment. The hotel makes reasonable efforts to resell rooms and space and credits the revenue. Damages are due {{paymentDays}} days after the event would have ended.',
  },
  {
    key: 'deposits',
    title: 'Deposits',
    body: 'The client pays these deposits, which the hotel credits to the master account:\n{{depositLines}}\nThe hotel returns deposits that exceed the final bill within {{refundDays}} days after departure.',
    without: 'No deposit is due.',
  },
  {
    key: 'foodMinimum',
    title: 'Food and beverage minimum',
    body: 'The client orders food and beverages for at least {{minimum}}, before a service charge of {{servicePercent}} percent and taxes of {{fbTaxPercent}} percent. If the orders are less, the client pays the difference without service charge. The client gives the guaranteed number of guests {{guaranteeDays}} days before arrival. Menu prices are confirmed at signing and do not rise by more than {{menuRisePercent}} percent.',
  },
  {
    key: 'functionSpace',
    title: 'Function space',
    body: 'The hotel reserves the function space of the client’s programme for a rental of {{rental}}:\n{{spaces}}\nThe hotel does not move a function to another room without the client’s written consent.',
    without: 'The rental for function space is {{rental}}. The hotel assigns function space with the client’s written consent.',
  },
  {
    key: 'concessions',
    title: 'Concessions',
    body: 'The hotel grants these concessions at no charge:\n{{concessionLines}}\nConcessions do not depend on the number of rooms used.',
    without: 'The parties agree on no further concessions.',
  },
  {
    key: 'comps',
    title: 'Complimentary rooms',
    body: 'For every {{compPer}} room nights used by the group, the hotel credits one room night at the group rate to the master account. Used room nights are counted over the whole event.',
    without: 'The hotel grants no complimentary rooms.',
  },
  {
    key: 'commission',
    title: 'Commission',
    body: 'The group rates include a commission of {{commissionPercent}} percent of the room revenue without taxes. The hotel pays it to the client within {{commissionDays}} days after departure, with a statement of the rooms it was calculated from.',
    without: 'The group rates are net and carry no commission.',
  },
  {
    key: 'masterAccount',
    title: 'Master account and payment',
    body: 'The hotel charges to the master account only what the client has approved in writing. Guests pay their own rooms and incidentals unless the rooming list says otherwise. The hotel sends the final bill with all receipts. The client pays undisputed amounts within {{paymentDays}} days of receiving it and names disputed amounts within the same period.',
  },
  {
    key: 'forceMajeure',
    title: 'Force majeure',
    body: 'Either party may end this contract or reduce its obligations without liability if an event beyond its reasonable control, such as disaster, war, terrorism, epidemic, strike, government order or serious disruption of travel, makes performance illegal, impossible or commercially impracticable, or keeps at least {{absentPercent}} percent of the expected guests from attending. It gives notice within {{noticeDays}} days of learning of the event. The hotel returns all deposits.',
  },
  {
    key: 'relocation',
    title: 'Relocation of guests',
    body: 'If the hotel cannot honour a confirmed room, it provides one of at least equal standard within {{maxKm}} km, pays the first night and the transfer to and from the event, and informs the client at once. Relocated rooms count as used rooms of the block. The guest may return on the first night on which a room is free.',
  },
  {
    key: 'construction',
    title: 'Construction and renovation',
    body: 'The hotel confirms that no construction or renovation will affect rooms, function space or access during the event. It informs the client at least {{noticeDays}} days ahead of any such work. If the work materially affects the event, the client may cancel without payment.',
  },
  {
    key: 'ownership',
    title: 'Change of ownership or brand',
    body: 'The hotel informs the client within {{noticeDays}} days of a change of its owner, operator or brand, or of insolvency proceedings. This contract binds the successor. If the change lowers the standard of the hotel, the client may cancel without payment.',
  },
  {
    key: 'indemnity',
    title: 'Indemnity',
    body: 'Each party indemnifies the other against claims of third parties for injury, death or damage that result from its own negligence or wilful misconduct or that of its employees and contractors. Neither party is liable for indirect damage or lost profit, except as this contract states amounts expressly.',
  },
  {
    key: 'insurance',
    title: 'Insurance',
    body: 'Each party holds general liability insurance of at least {{coverage}} per occurrence during the event, and statutory insurance for its employees. It sends a certificate to the other party {{certificateDays}} days before arrival.',
  },
  {
    key: 'accessibility',
    title: 'Accessibility',
    body: 'The hotel is responsible that its rooms, public areas and function space meet the applicable laws on accessibility. The client tells the hotel of known needs of its guests {{noticeDays}} days before arrival, and the hotel meets them at no extra charge.',
  },
  {
    key: 'dataPrivacyPci',
    title: 'Data protection and card data',
    body: 'The hotel uses personal data of guests only to provide their stay, protects the data by the applicable laws, and deletes it when no law requires it any longer. The hotel complies with the PCI Data Security Standard and gives the client a current attestation of compliance for this property before it receives card data. It reports a breach of guest data within {{breachHours}} hours.',
  },
  {
    key: 'audit',
    title: 'Pickup report and audit',
    body: 'The hotel reports rooms used by night within {{reportDays}} days after departure. The client may compare its registration list with the hotel’s guest list. Guests of the event who stayed outside the block, whatever rate they paid, count as used rooms for attrition, complimentary rooms, rebate and commission.',
  },
  {
    key: 'disputes',
    title: 'Applicable law and disputes',
    body: 'The laws of {{law}} apply. The parties first try to settle a dispute by negotiation for {{negotiationDays}} days after written notice; afterwards the courts of {{court}} decide. Changes of this contract need written form. If a provision is invalid, the others stay in force.',
  },
]
