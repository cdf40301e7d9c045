import { cleanText } from '../../../kernel/clean-text.ts'
import type { Translator } from '../../../kernel/language/translator.ts'
import type { PrintedInvoiceData } from '../invoice-facts.ts'
import type { PdfSheet } from './sheet.ts'

interface DocumentTitle {
  issuer: PrintedInvoiceData['issuer']
  words: Translator
  title: string
  isTestData: boolean
}

/** Writes the issuer and the title at the top of an invoice, credit note or receipt. */
export function writePdfTitle(sheet: PdfSheet, { issuer, words, title, isTestData }: DocumentTitle): void {
  sheet.text(issuer.name, { bold: true, size: 11 })
  if (issuer.address) sheet.text(cleanText(issuer.address), { size: 9, muted: true })
  if (issuer.taxNumber)
    sheet.text(words.say('label.value', { label: words.say('invoice.taxNumber'), value: issuer.taxNumber }), { size: 9, muted: true })
  sheet.space(24)
  sheet.text(title, { bold: true, size: 20, as: 'H1' })
  if (isTestData) sheet.text(words.say('invoice.test'), { bold: true })
  sheet.space(10)
}
