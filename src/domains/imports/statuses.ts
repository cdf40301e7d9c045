import type { PaymentMethod } from '../orders/tables.ts'
import { normalizeColumnHeading } from '../sheets/normalize.ts'

/** Words for registration statuses in other systems and languages. */
const STATUS_WORDS = {
  complete:
    'complete, completed, confirmed, registered, paid, active, approved, accepted, attended, checked in, ok, yes, valid, bestatigt, angemeldet, registriert, bezahlt, aktiv, teilgenommen, abgeschlossen, confirme, inscrit, paye, valide, actif, present, complet, confirmado, registrado, inscrito, pagado, activo, completo, completado, confermato, iscritto, registrato, pagato, attivo, completato, bevestigd, geregistreerd, aangemeld, betaald, actief, voltooid, inscrita, pago, ativo, concluido',
  cancelled:
    'cancelled, canceled, cancellation, refunded, withdrawn, deleted, declined, void, storniert, abgesagt, erstattet, geloscht, annule, annulee, rembourse, supprime, cancelado, anulado, reembolsado, annullato, cancellato, rimborsato, geannuleerd, terugbetaald, afgemeld, anulada, cancelada',
  incomplete:
    'incomplete, pending, started, in progress, draft, unpaid, open, abandoned, unvollstandig, offen, ausstehend, begonnen, entwurf, unbezahlt, en attente, en cours, incomplet, non paye, pendiente, en curso, incompleto, sin pagar, in attesa, in corso, non pagato, openstaand, in behandeling, onvolledig, concept, pendente, em andamento, nao pago',
  waitlisted:
    'waitlisted, waitlist, waiting list, on waitlist, waiting, warteliste, wartend, liste d attente, lista de espera, lista d attesa, wachtlijst',
} as const

export type ImportedStatus = keyof typeof STATUS_WORDS

const byWord = (words: Record<string, string>) =>
  new Map(Object.entries(words).flatMap(([name, list]) => list.split(',').map((word) => [normalizeColumnHeading(word), name] as const)))

const STATUSES = byWord(STATUS_WORDS)
export const IMPORTED_REGISTRATION_STATUSES = Object.keys(STATUS_WORDS) as ImportedStatus[]

export const toImportedStatus = (text: string): ImportedStatus | null =>
  (STATUSES.get(normalizeColumnHeading(text)) as ImportedStatus | undefined) ?? null

const METHODS = byWord({
  card: 'card, credit card, debit card, visa, mastercard, amex, american express, stripe, kreditkarte, karte, carte, carte bancaire, carte de credit, tarjeta, tarjeta de credito, carta, carta di credito, creditcard, kaart, cartao, cartao de credito',
  bank: 'bank, bank transfer, transfer, wire, wire transfer, sepa, ach, direct debit, uberweisung, bankuberweisung, lastschrift, virement, virement bancaire, prelevement, transferencia, transferencia bancaria, bonifico, bonifico bancario, overschrijving, bankoverschrijving, incasso',
  cheque: 'cheque, check, scheck, cheque bancaire, assegno',
  cash: 'cash, bar, barzahlung, especes, comptant, efectivo, contanti, contant, dinheiro',
})

/** Converts the name of a payment method in the file. Unknown payment methods are imported as `other`. */
export const toPaymentMethod = (text: string): PaymentMethod =>
  (METHODS.get(normalizeColumnHeading(text)) as PaymentMethod | undefined) ?? 'other'
