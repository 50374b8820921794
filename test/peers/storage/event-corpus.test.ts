/** G4 of the adapter contract on the other database. */
import { eventCorpus } from "../../support/event-corpus.ts"
import { postgres } from "../../support/postgres.ts"

eventCorpus("PostgreSQL", postgres)
