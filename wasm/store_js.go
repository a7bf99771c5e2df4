//go:build !first

package main

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"

	"github.com/hack-pad/go-indexeddb/idb"

	"jigsaw/wasm/api"
)

// The database of the page. Heads are by id, revisions by [id, revision].
const (
	databaseName    = "jigsaw"
	databaseVersion = 1
	headsStore      = "heads"
	revisionsStore  = "revisions"
)

// database is an [api.Store] in IndexedDB.
//
// A transaction ends as soon as the page's event loop runs while none of its requests is
// open. So data to be written are prepared before, and nothing else is awaited between
// requests.
type database struct{ db *idb.Database }

// openDatabase opens the database of the page, or says why there is none.
func openDatabase(ctx context.Context) (_ api.Store, err error) {
	// Some browsers throw if storage is forbidden, and then idb panics.
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("the browser forbids storage here: %v", reason)
		}
	}()
	if !js.Global().Get("indexedDB").Truthy() {
		return nil, errors.New("the browser has no storage (IndexedDB) here")
	}
	// Even if the answer comes after ctx has ended, the new database must have its
	// stores.
	request, err := idb.Global().Open(context.WithoutCancel(ctx), databaseName, databaseVersion, func(db *idb.Database, _, _ uint) error {
		_, err := db.CreateObjectStore(headsStore, idb.ObjectStoreOptions{})
		if err == nil {
			_, err = db.CreateObjectStore(revisionsStore, idb.ObjectStoreOptions{})
		}
		return err
	})
	if err != nil {
		return nil, unusable(err)
	}
	db, err := request.Await(ctx)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, unusable(err)
	}
	return &database{db}, nil
}

// unusable says why the database cannot be used.
func unusable(err error) error { return fmt.Errorf("the browser's storage cannot be used: %w", err) }

// transact runs f in a transaction on both stores, and waits until it is done.
func (d *database) transact(ctx context.Context, mode idb.TransactionMode, f func(heads, revisions *idb.ObjectStore) error) error {
	tx, err := d.db.Transaction(mode, headsStore, revisionsStore)
	if err != nil {
		return explained(err)
	}
	heads, err := tx.ObjectStore(headsStore)
	if err != nil {
		return explained(err)
	}
	revisions, err := tx.ObjectStore(revisionsStore)
	if err != nil {
		return explained(err)
	}
	if err := f(heads, revisions); err != nil {
		_ = tx.Abort() // it may have ended already, with the error at hand
		return explained(err)
	}
	return explained(tx.Await(ctx))
}

// explained says what to do about errors that are not faults.
func explained(err error) error {
	switch {
	case errors.Is(err, idb.NewDOMException("QuotaExceededError")):
		return &api.Error{Code: api.Invalid, Message: "the browser's storage is full: export scenarios to files and remove some"}
	case errors.Is(err, idb.NewDOMException("InvalidStateError")):
		return fmt.Errorf("%w: %w", api.ErrClosed, err) // as when the user clears the site's data
	}
	return err
}

// await waits for the answer to a request. A cancelled Await of idb returns as if it
// had been answered.
func await[T any](ctx context.Context, request interface {
	Await(context.Context) (T, error)
}, err error) (result T, _ error) {
	if err != nil {
		return result, err
	}
	if result, err = request.Await(ctx); err == nil {
		err = ctx.Err()
	}
	return result, err
}

func (d *database) Heads(ctx context.Context) (list []api.ScenarioHead, err error) {
	err = d.transact(ctx, idb.TransactionReadOnly, func(heads, _ *idb.ObjectStore) error {
		request, err := heads.OpenCursor(idb.CursorNext)
		if err != nil {
			return err
		}
		return each(ctx, request, &list)
	})
	return list, err
}

func (d *database) Revisions(ctx context.Context, id string) (list []api.Scenario, err error) {
	err = d.transact(ctx, idb.TransactionReadOnly, func(_, revisions *idb.ObjectStore) error {
		request, err := revisions.OpenCursorKey(revisionsOf(id), idb.CursorPrevious)
		if err != nil {
			return err
		}
		return each(ctx, request, &list)
	})
	return list, err
}

// each appends the entries of a cursor to the list. Entries that cannot be read are
// ignored: a page of another version may have written them.
func each[T any](ctx context.Context, request *idb.CursorWithValueRequest, list *[]T) error {
	err := request.Iter(ctx, func(cursor *idb.CursorWithValue) error {
		value, err := cursor.Value()
		if err != nil {
			return err
		}
		var entry T
		if fromJS(value, &entry) == nil {
			*list = append(*list, entry)
		}
		return nil
	})
	return errors.Join(err, ctx.Err())
}

func (d *database) Change(ctx context.Context, id string, next func(*api.ScenarioHead) api.Scenario) error {
	return d.transact(ctx, idb.TransactionReadWrite, func(heads, revisions *idb.ObjectStore) error {
		request, err := heads.Get(js.ValueOf(id))
		value, err := await(ctx, request, err)
		if err != nil {
			return err
		}
		var latest *api.ScenarioHead
		if value.Truthy() {
			latest = new(api.ScenarioHead)
			if err := fromJS(value, latest); err != nil {
				return fmt.Errorf("scenario %q is damaged: %w", id, err)
			}
		}
		s := next(latest)
		head, _ := toJS(s.Head())
		revision, _ := toJS(s)
		if _, err := heads.PutKey(js.ValueOf(s.ID), head); err != nil {
			return err
		}
		if _, err := revisions.PutKey(revisionKey(s.ID, s.Revision), revision); err != nil {
			return err
		}
		if s.Revision <= api.KeptRevisions {
			return nil
		}
		_, err = revisions.Delete(keyRange(revisionKey(s.ID, 0), revisionKey(s.ID, s.Revision-api.KeptRevisions)))
		return err
	})
}

func (d *database) Remove(ctx context.Context, id string) (found bool, err error) {
	err = d.transact(ctx, idb.TransactionReadWrite, func(heads, revisions *idb.ObjectStore) error {
		request, err := heads.Get(js.ValueOf(id))
		value, err := await(ctx, request, err)
		if err != nil {
			return err
		}
		found = value.Truthy()
		if _, err := heads.Delete(js.ValueOf(id)); err != nil {
			return err
		}
		_, err = revisions.Delete(revisionsOf(id))
		return err
	})
	return found, err
}

func revisionKey(id string, revision int) js.Value { return js.ValueOf([]any{id, revision}) }

// revisionsOf is the range of a scenario's revisions: a list is above every number.
func revisionsOf(id string) js.Value {
	return keyRange(js.ValueOf([]any{id}), js.ValueOf([]any{id, []any{}}))
}

// keyRange goes from the first key to the last, both included.
func keyRange(first, last js.Value) js.Value {
	return js.Global().Get("IDBKeyRange").Call("bound", first, last)
}
