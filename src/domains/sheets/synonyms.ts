/**
 * Column names by field in English, German, French, Spanish, Italian, Dutch and Portuguese. A name may occur in several fields; then the
 * values in the column decide. Case, diacritics and punctuation are ignored.
 */
export const PERSON_COLUMN_HEADINGS: Record<string, string> = {
  prefix:
    'prefix, title of address, salutation, honorific, anrede, titel, civilite, titre, tratamiento, titulo, titolo, aanhef, tratamento',
  firstName:
    'first name, firstname, given name, forename, christian name, first, vorname, rufname, prenom, nombre, nombre de pila, primer nombre, nome, nome di battesimo, voornaam, roepnaam, primeiro nome, nome proprio',
  lastName:
    'last name, lastname, surname, family name, last, name, nachname, familienname, zuname, nom, nom de famille, apellido, apellidos, cognome, achternaam, familienaam, naam, sobrenome, apelido, ultimo nome',
  suffix: 'suffix, name suffix, namenszusatz, suffixe, sufijo, suffisso, achtervoegsel, sufixo',
  preferredName:
    'preferred name, badge name, nickname, known as, spitzname, rufname auf dem badge, surnom, prenom d usage, apodo, soprannome, bijnaam, nome preferido, nome no cracha',
  pronouns: 'pronouns, pronomen, pronoms, pronombres, pronomi, voornaamwoorden, pronomes',
  email:
    'email, e mail, email address, e mail address, mail, mail address, contact email, email id, e mail adresse, mailadresse, courriel, adresse e mail, adresse mail, adresse courriel, mel, correo, correo electronico, direccion de correo, indirizzo email, indirizzo e mail, posta elettronica, e mailadres, mailadres, endereco de email, endereco de e mail, correio eletronico',
  jobTitle:
    'job title, title, position, role, job, function, occupation, designation, berufsbezeichnung, position im unternehmen, funktion, stellung, beruf, fonction, poste, intitule du poste, profession, cargo, puesto, puesto de trabajo, profesion, qualifica, ruolo, mansione, posizione, functie, functietitel, beroep, funcao, profissao',
  company:
    'company, company name, organisation, organization, organisation name, organization name, employer, institution, affiliation, business, account name, firma, firmenname, unternehmen, arbeitgeber, einrichtung, societe, entreprise, organisme, raison sociale, employeur, etablissement, empresa, compania, organizacion, institucion, razon social, azienda, societa, ditta, ente, organizzazione, bedrijf, bedrijfsnaam, organisatie, werkgever, instelling, organizacao, companhia, instituicao',
  department:
    'department, division, unit, abteilung, bereich, departement, service, departamento, area, reparto, dipartimento, divisione, afdeling',
  bio: 'bio, biography, about, about me, profile text, biografie, lebenslauf, uber mich, biographie, biografia, over mij, sobre mim',
  headshot: 'headshot, photo, picture, portrait, foto, bild, portrat, portraitfoto, retrato, fotografia, ritratto, pasfoto',
  website:
    'website, web site, web, url, homepage, web page, company website, webseite, internetseite, site, site web, site internet, sitio web, pagina web, sito, sito web, webpagina, sitio',
  linkedin:
    'linkedin, linkedin url, linkedin profile, linkedin profil, profil linkedin, perfil de linkedin, profilo linkedin, linkedin profiel, perfil linkedin',
  workPhone:
    'work phone, phone, phone number, telephone, telephone number, tel, office phone, business phone, telefon, telefonnummer, rufnummer, telefon geschaftlich, festnetz, numero de telephone, telephone professionnel, telefono, numero de telefono, telefono del trabajo, telefono ufficio, numero di telefono, telefoon, telefoonnummer, telefone, numero de telefone',
  mobilePhone:
    'mobile phone, mobile, mobile number, cell, cell phone, cellphone, handy, handynummer, mobil, mobiltelefon, mobilnummer, portable, telephone portable, telephone mobile, mobile, movil, telefono movil, celular, cellulare, telefono cellulare, numero cellulare, mobiel, mobiele telefoon, mobiel nummer, gsm, telemovel, telefone celular',
  address1:
    'address, address 1, address line 1, street, street address, postal address, adresse, strasse, anschrift, strasse und hausnummer, adresse 1, rue, adresse postale, direccion, direccion 1, calle, domicilio, indirizzo, indirizzo 1, via, adres, straat, straat en huisnummer, endereco, endereco 1, rua, morada',
  address2:
    'address 2, address line 2, second address line, adresszusatz, adresse 2, complement d adresse, direccion 2, indirizzo 2, adresregel 2, toevoeging, endereco 2, complemento',
  city: 'city, town, place, locality, ort, stadt, wohnort, ville, commune, localite, ciudad, localidad, poblacion, municipio, citta, comune, localita, stad, plaats, woonplaats, cidade, localidade',
  region:
    'region, state, province, county, state or region, state province, bundesland, land region, kanton, departement region, etat, estado, provincia, comunidad autonoma, regione, provincie, staat, estado regiao, distrito',
  postalCode:
    'postal code, postcode, post code, zip, zip code, plz, postleitzahl, code postal, cp, codigo postal, cap, codice postale, postcode, cep',
  country: 'country, country code, nation, land, staat, pays, pais, paese, nazione, stato, country region',
  language: 'language, preferred language, locale, sprache, langue, idioma, lengua, lingua, taal',
  dietary:
    'dietary, dietary needs, dietary requirements, diet, food, allergies, ernahrung, essen, allergien, regime alimentaire, regime, alergias, dieta, requisitos alimentarios, esigenze alimentari, allergie, dieet, dieetwensen, restricoes alimentares',
  accessibility:
    'accessibility, accessibility needs, special needs, barrierefreiheit, accessibilite, besoins particuliers, accesibilidad, necesidades especiales, accessibilita, esigenze particolari, toegankelijkheid, acessibilidade, necessidades especiais',
  emergencyName:
    'emergency contact, emergency name, emergency contact name, notfallkontakt, contact d urgence, contacto de emergencia, contatto di emergenza, noodcontact, contato de emergencia',
  emergencyPhone:
    'emergency phone, emergency number, emergency contact phone, notfallnummer, notfalltelefon, telephone d urgence, telefono de emergencia, telefono di emergenza, noodnummer, telefone de emergencia',
}

/** Known headings of columns that imports accept in addition to the properties of participants. */
export const IMPORT_COLUMN_HEADINGS: Record<string, string> = {
  fullName:
    'name, full name, fullname, participant, participant name, attendee, attendee name, person, contact name, vollstandiger name, teilnehmer, vor und nachname, nom, nom complet, nom et prenom, participant nom, nombre, nombre completo, nombre y apellidos, asistente, nome, nome completo, nome e cognome, partecipante, naam, volledige naam, deelnemer, nome e sobrenome, participante',
  externalId:
    'id, external id, registration id, registrant id, participant id, attendee id, member id, person id, registration number, registration no, reg id, confirmation number, reference, ref, teilnehmernummer, teilnehmer id, registrierungsnummer, anmeldenummer, kundennummer, identifiant, numero d inscription, id participant, reference inscription, identificador, id de registro, numero de registro, identificativo, numero di registrazione, codice iscrizione, registratienummer, deelnemersnummer, identificador de registo, numero de inscricao',
  orderRef:
    'order, order id, order number, order no, order reference, order ref, booking number, booking reference, invoice number, bestellnummer, auftragsnummer, buchungsnummer, rechnungsnummer, numero de commande, commande, numero de pedido, pedido, numero ordine, ordine, bestelnummer, ordernummer, boekingsnummer, numero do pedido',
  productName:
    'product, product name, item, item name, ticket, ticket type, ticket name, registration type, fee, fee name, produkt, artikel, ticketart, ticketkategorie, produit, article, billet, type de billet, formule, producto, articulo, entrada, tipo de entrada, prodotto, articolo, biglietto, tipo di biglietto, kaartje, tickettype, produto, bilhete, tipo de bilhete, ingresso',
  quantity:
    'quantity, qty, count, number of tickets, tickets, anzahl, menge, stuck, quantite, nombre de billets, cantidad, quantita, aantal, hoeveelheid, quantidade',
  amountDue:
    'amount due, total, total amount, price, order total, line total, balance due, invoice amount, net amount, gesamtbetrag, gesamt, summe, preis, rechnungsbetrag, offener betrag, montant du, montant total, prix, prix total, importe total, precio, importe adeudado, importo dovuto, importo totale, totale, prezzo, totaalbedrag, totaal, prijs, te betalen, valor total, valor devido, preco',
  amountPaid:
    'amount paid, paid, amount, payment, payment amount, paid amount, amount received, betrag, bezahlt, zahlung, zahlbetrag, bezahlter betrag, montant, montant paye, montant regle, paye, paiement, importe, importe pagado, pagado, pago, monto, importo, importo pagato, pagato, pagamento, bedrag, betaald, betaald bedrag, betaling, valor, valor pago, montante, pago em',
  currency: 'currency, currency code, payment currency, wahrung, wahrungscode, devise, monnaie, moneda, divisa, valuta, moeda',
  paymentMethod:
    'payment method, method, payment type, paid by, zahlungsart, zahlungsmethode, zahlungsweise, mode de paiement, moyen de paiement, metodo de pago, forma de pago, metodo di pagamento, modalita di pagamento, betaalmethode, betaalwijze, metodo de pagamento, forma de pagamento',
  paymentRef:
    'payment reference, payment ref, payment id, transaction, transaction id, transaction number, receipt number, receipt, zahlungsreferenz, transaktionsnummer, transaktions id, belegnummer, zahlungsnummer, reference de paiement, numero de transaction, reference transaction, referencia de pago, id de transaccion, riferimento pagamento, id transazione, betalingskenmerk, transactienummer, referencia de pagamento, id da transacao',
  paidAt:
    'paid at, paid on, payment date, date paid, date of payment, transaction date, received on, zahlungsdatum, bezahlt am, zahlungseingang, buchungsdatum, date de paiement, paye le, date de reglement, fecha de pago, pagado el, data di pagamento, data pagamento, pagato il, betaaldatum, betaald op, data de pagamento, pago em',
  statusText:
    'status, registration status, state of registration, attendee status, anmeldestatus, teilnehmerstatus, statut, etat, statut d inscription, estado, estado de registro, estado de inscripcion, stato, stato iscrizione, registratiestatus, situacao, estado da inscricao',
  tagList:
    'tags, tag, labels, categories, groups, schlagworte, etiketten, kategorien, etiquettes, mots cles, categories, etiquetas, categorias, etichette, categorie, labels, trefwoorden, marcadores',
}

/**
 * Known column headings of the dates of a registration, such as when it was created or completed. An import stores these dates with the
 * registration.
 */
export const REGISTRATION_TIME_HEADINGS: Record<string, string> = {
  createdAt:
    'created, created at, created on, creation date, date created, registered, registered at, registered on, registration date, date of registration, order date, signup date, anmeldedatum, angemeldet am, registrierungsdatum, erstellt am, date d inscription, inscrit le, date de creation, cree le, fecha de registro, fecha de inscripcion, fecha de creacion, data di iscrizione, data di registrazione, creato il, registratiedatum, aangemeld op, inschrijfdatum, data de inscricao, data de registo, criado em',
  completedAt:
    'completed, completed at, completed on, completion date, confirmed at, confirmation date, abgeschlossen am, bestatigt am, termine le, confirme le, fecha de confirmacion, completado el, data di conferma, completato il, afgerond op, bevestigd op, concluido em, data de confirmacao',
}

export const PRODUCT_COLUMN_HEADINGS: Record<string, string> = {
  code: 'code, product code, sku, item code, id, produktcode, artikelnummer, code produit, reference, codigo, codigo de producto, codice, codice prodotto, productcode, codigo do produto',
  name: 'name, product, product name, item, ticket, title, bezeichnung, produkt, produktname, artikel, nom, produit, designation, libelle, nombre, producto, nome, prodotto, naam, produto',
  category: 'category, type, product category, kategorie, art, categorie, type de produit, categoria, tipo, soort',
  description: 'description, details, beschreibung, descripcion, descrizione, omschrijving, beschrijving, descricao',
  price:
    'price, amount, fee, cost, unit price, regular price, standard price, full price, normal price, preis, normalpreis, regularer preis, preis regular, standardpreis, vollpreis, betrag, gebuhr, prix, montant, tarif, precio, importe, tarifa, prezzo, importo, prijs, bedrag, preco, valor',
  priceFrom:
    'price from, from, valid from, starts, sale from, gultig ab, ab, von, preis ab, a partir du, valable du, valide du, desde, valido desde, valido dal, dal, vanaf, geldig vanaf, a partir de, valido a partir de',
  priceUntil:
    'price until, until, valid until, to, ends, sale until, gultig bis, bis, preis bis, jusqu au, valable jusqu au, hasta, valido hasta, valido fino al, fino al, tot, geldig tot, tot en met, ate, valido ate',
  priceTags:
    'price tags, tags, for, audience, for tags, preisgruppe, zielgruppe, fur, public, pour, publico, para, destinatari, doelgroep, voor, publico alvo',
  earlyPrice:
    'early bird price, early bird, early bird fee, early bird rate, early price, early rate, fruhbucher, fruhbucherpreis, preis fruhbucher, fruhbucher preis, fruhbuchertarif, fruhbuchergebuhr, gebuhr fruhbucher, tarif anticipe, prix anticipe, tarif early bird, precio anticipado, tarifa anticipada, prezzo anticipato, tariffa early bird, vroegboekprijs, vroegboektarief, preco antecipado',
  earlyUntil:
    'early bird until, early bird ends, early bird end, early bird deadline, early bird valid until, early bird price until, early until, fruhbucher bis, fruhbucherpreis bis, preis fruhbucher bis, fruhbucher gultig bis, fruhbucherfrist, fruhbucher ende, fruhbucherende, tarif anticipe jusqu au, prix anticipe jusqu au, precio anticipado hasta, prezzo anticipato fino al, vroegboekprijs tot, vroegboeken tot, preco antecipado ate',
  capacity:
    'capacity, places, seats, limit, stock, quantity, kapazitat, platze, anzahl, kontingent, capacite, places disponibles, jauge, capacidad, plazas, aforo, capienza, posti, capaciteit, plaatsen, capacidade, lugares',
  perPerson:
    'per person, max per person, limit per person, pro person, maximal pro person, par personne, maximum par personne, por persona, maximo por persona, a persona, massimo a persona, per persoon, maximaal per persoon, por pessoa',
  taxCode:
    'tax code, tax, vat, vat code, sales tax, steuer, steuercode, mehrwertsteuer, mwst, ust, taxe, code taxe, tva, impuesto, iva, codigo de impuesto, imposta, aliquota, btw, belasting, imposto',
  addsTags:
    'adds tags, gives tags, tags given, grants tags, vergibt tags, ajoute les tags, agrega etiquetas, aggiunge tag, geeft tags, adiciona tags',
  requires:
    'requires, required products, prerequisites, needs, setzt voraus, voraussetzung, necessite, requiert, requiere, richiede, vereist, requer, exige',
  excludes: 'excludes, not with, conflicts with, schliesst aus, exclut, excluye, esclude, sluit uit, exclui',
  waitlist: 'waitlist, waiting list, has waitlist, warteliste, liste d attente, lista de espera, lista d attesa, wachtlijst',
  refundUntil:
    'refund until, refundable until, cancel until, erstattung bis, erstattbar bis, stornierbar bis, remboursable jusqu au, reembolsable hasta, rimborsabile fino al, terugbetaalbaar tot, reembolsavel ate',
  supply:
    'supply, delivery, kind of supply, place of supply, leistungsart, type de prestation, tipo de prestacion, tipo di fornitura, soort levering, tipo de prestacao',
}
