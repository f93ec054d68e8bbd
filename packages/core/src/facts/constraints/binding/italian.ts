export const italian = String.raw`
where doing: (?:usa|usare|utilizza|fai|modifica|cambia|aggiungi|crea|scrivi|cancella|rimuovi|elimina|correggi|sistema|implementa|installa|sostituisci|rinomina|esegui|lancia|lavora|mostra|salva|carica|pubblica|aggiorna|metti|lascia|tocca)
common:
  il lo la i gli le di del della dei delle un una e è non che in con per si al come ma se senza più tutto
  tutti deve devono mai sempre solo soltanto questo questa usa usare favore voglio molto già anche nel nella nei nelle niente su
letters: àèìòù
breaks: [,;:!]\s+|\s+[-–—]+\s+|\.{2,}\s*|\s*[()]\s*|\s+(?=(?:ma|e|perché|poiché)\s)
fillers:
  per favore|per piacere|anche|ok|va bene|allora|e|ma|o|poi|sì|no,|inoltre|attenzione|importante|perché|ora
  adesso|grazie|ricorda(?:ti)? che|(?:io )?(?:penso|credo) che
question sentence: [?？][\s"')»]*$
question head: (?:perché|come mai|come (?:faccio|posso|si)|dove|quando|quale|quali|chi|cosa|che cosa|puoi|potresti|possiamo)\b
narrative head: (?:io )?(?:non (?:capisco|so|vedo|riesco|posso|ho|credo|ricordo|trovo|sono|mi)|devo|ho\b|sono\b|stavo|vorrei sapere|mi )
report sentence weak: \b(?:non (?:funziona|carica|appare|compila|va|risponde|mostra)|fallisce|(?:un|dà) errore|si rompe|continua a|ancora|attualmente|al momento|ma (?:mostra|appare|dà|non))\b
musing sentence weak: \b(?:forse|magari|probabilmente|mi chiedo|non so se)\b
prohibition head:
  non (?:mi |lo |la |li |le |ci |si )?(?!è\b|c'è|ha\b|ho\b|sono\b|so\b|sta\b|funziona|riesco|capisco|va\b|appare|credo|importa|era|preoccuparti|dimenticare|solo\b|vedo|posso|serve|risponde|carica|compila|mostra|ricordo|trovo)\S+(?:are|ere|ire|arlo|erlo|irlo|arla|i|e|a|ate|ete|ite)\b
  non (?:deve|devono|devi|dovete|voglio|vogliamo)\b
  mai (?!visto|stato|funzionato)\S
  (?:niente|nessun[oa]?|senza) (?!problema|dubbio|errore|male)\S
  evita(?:re|te)?\b
  smetti di\b
prohibition clause:
  \bnon (?:deve|devono|dovrebbe|dovrebbero|si (?:deve|devono|può|possono))\b
  \b(?:è|sono) (?:severamente )?(?:vietat[oaie]|proibit[oaie])\b
  \bin nessun caso\b
necessity head weak:
  (?!io\b|se\b|quando\b|che\b|noi\b)(?:\S+ ){1,12}?(?:deve|devono|dovrà|dovranno|dovrebbe|dovrebbero)(?=\s)(?! (?:esserci|funzionare))
  (?:devi (?:usare|sempre|solo|mantenere)|deve essere|devono essere)\b
  bisogna (?:mantenere|usare|evitare|rispettare)
standing clause weak: \b(?:sempre|ogni volta che|d'ora in poi|da ora in poi|in futuro|dopo ogni|prima di ogni)\b(?! (?:fallisce|dà))
limit head weak:
  (?:solo|soltanto|solamente|al massimo|almeno)\b(?! (?:manca|una domanda))
  {doing}\b.{0,140}\b(?:solo|soltanto|solamente|esclusivamente|senza|invece di|al posto di|al massimo)\b
  (?:invece di|al posto di|anziché)\b.{2,140}\b(?:usa|utilizza|metti)\b
keep head: (?:mantieni|mantenere|mantenete|conserva|preserva|rispetta|assicurati|assicuratevi|garantisci|segui (?:le?|i|gli|la|lo|l'|il|nostr[ioae])|fai attenzione|lascia .{1,80} (?:com'è|così|intatt[oaie]|invariat[oaie]))(?![\p{L}])
preference head weak:
  (?:io )?(?:preferisco|preferiamo|preferirei)\b
  (?:voglio|vogliamo|vorrei) (?:che (?!tu (?:mi|controlli|faccia|guardi|spieghi))|solo |mantenere |usare |evitare )
  (?:usiamo|manteniamo|evitiamo|restiamo (?:su|con))\b
allows:
  (?:ora |adesso )?(?:puoi|potete)(?: ora| adesso| pure)?[ ]
  va bene (?:se )?
releases:
  non (?:serve|è) più (?:necessario )?
  dimentica[ ]
ends:
  non (?:è|sono) più (?:vietat[oaie]|necessari[oaie])
  (?:regola|vincolo)\b.{0,60}\b(?:non vale più|decade)
  (?:è|sono) (?:ora |di nuovo )?(?:permess[oaie]|consentit[oaie])\b
  cambiato idea
cancels: (?:anzi |in realtà )?(?:lascia perdere|dimenticalo|dimentica(?: questo| quello)?|ignoralo|annulla)[.!]*$
negations: invece di|al posto di|anziché|non
empty:
  il lo la i gli le di del della un una e o non mai sempre che in con per si al come ma se senza più ora
  adesso usa usare puoi deve devono questo questa
passing: per ora|per adesso|per il momento|stavolta|questa volta|oggi
moment: ancora|per ora|al momento|adesso
always: mai|sempre|ogni|nessun|nessuna
headings: vincoli|regole|requisiti|limitazioni|convenzioni|vietato|condizioni|principi|linee guida|restrizioni
forbidden headings: .*(?:vietato|divieti).*
strong demand:
  deve|devono|mai|sempre|soltanto|solamente|assicurati|evita|senza|invece di|obbligatorio|vietato|almeno
  al massimo
weak demand: bisogna|dovrebbe|necessario|mantieni
`
