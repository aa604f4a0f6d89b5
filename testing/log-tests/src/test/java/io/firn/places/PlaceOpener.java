package io.firn.places;

/** Opens the store of a place. */
interface PlaceOpener {
    PlaceStore open();
}
