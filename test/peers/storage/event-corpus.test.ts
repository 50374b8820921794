/** The golden corpus of events on the other database. */
import { eventCorpus } from "../../support/event-corpus.ts"
import { postgres } from "../../support/postgres.ts"

eventCorpus("PostgreSQL", postgres)
