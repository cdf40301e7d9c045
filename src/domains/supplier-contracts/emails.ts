import { buildHeading, buildLinkButton, buildParagraphs, defineNoticeEmail } from '../messages/rendering/notice.ts'

interface ContractNotice {
  number: string
  client: string
  event: string
  /** The path of the contract's page, with the recipient's token. */
  path: string
  message: string | null
  /** The day until which the supplier should answer, formatted for the recipient; null if there is none. */
  dueOn: string | null
  /** The titles of the clauses that a counterproposal changes. */
  changed: readonly string[]
}

type ContractEmailKind = 'contract' | 'counter'

const defineContractEmail = (kind: ContractEmailKind) =>
  defineNoticeEmail<ContractNotice>({
    code: `supplier-${kind}`,
    category: 'transactional',
    write: ({ number, client, event, path, message, dueOn, changed }, { words: { say }, baseUrl }) => {
      const text = say(`mail.${kind}.text`, { number, client, event, count: changed.length })
      return {
        subject: say(`mail.${kind}.subject`, { number, event }),
        preheader: text,
        sender: client,
        blocks: [
          buildHeading(say(`mail.${kind}.heading`, { number })),
          buildParagraphs(
            text,
            ...(changed.length > 0 ? [changed.join(', ')] : []),
            ...(message === null ? [] : message.split(/\n+/)),
            ...(dueOn === null ? [] : [say('mail.contract.due', { day: dueOn })]),
          ),
          buildLinkButton(say('mail.contract.button'), `${baseUrl}${path}`),
          buildParagraphs(say('mail.contract.keep')),
        ],
      }
    },
  })

export const contractEmail = defineContractEmail('contract')
export const counterProposalEmail = defineContractEmail('counter')

/** The email with a new link to the contract, for a supplier whose link has expired. */
export const renewedContractLinkEmail = defineNoticeEmail<Pick<ContractNotice, 'number' | 'client' | 'event' | 'path'>>({
  code: 'supplier-contract-link',
  category: 'transactional',
  write: ({ number, client, event, path }, { words: { say }, baseUrl }) => {
    const text = say('mail.contractLink.text', { number, event })
    return {
      subject: say('mail.contractLink.subject', { number }),
      preheader: text,
      sender: client,
      blocks: [
        buildHeading(say('mail.contractLink.subject', { number })),
        buildParagraphs(text),
        buildLinkButton(say('mail.contract.button'), `${baseUrl}${path}`),
        buildParagraphs(say('mail.hotelLink.keep')),
      ],
    }
  },
})
