#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The shape of sources: sizes, first lines, comments, what is never called.
use strict;
use warnings;
use Test::More;

my $function_max = 60;
my $main_max     = 40;
my $file_max     = 400;
my @banned       = qw(atoi atol atoll strtok sprintf vsprintf strcpy strcat system popen gets alloca
                      goto signal);

chomp(my @files = `tests/lint/sources c`);
chomp(my @scripts = `tests/lint/sources sh`);
my %found = map { $_ => [] } qw(spdx intro size file slashes todo call comment global);

# Blanks comments, strings and characters, keeping every line where it is.
sub bare {
    my ($text) = @_;
    $text =~ s{(/\*.*?\*/)|("(?:\\.|[^"\\])*")|('(?:\\.|[^'\\])+')}
              {my $m = $&; $m =~ s/[^\n]/ /g; $m}gse;
    return $text;
}

sub functions {
    my ($file, @lines) = @_;
    my ($start, $name);
    for my $i (0 .. $#lines) {
        if (!defined $start && $lines[$i] =~ /^[A-Za-z_].*?(\w+)\(/ && $lines[$i] !~ /^(typedef|#)|;\s*$/) {
            ($start, $name) = ($i, $1);
        } elsif (defined $start && $lines[$i] =~ /;\s*$/ && $lines[$i] =~ /^\S|^ {10,}/
                 && !grep { /\{\s*$/ } @lines[$start .. $i]) {
            undef $start; # a prototype over several lines
        }
        next unless defined $start && $lines[$i] =~ /^\}/;
        my $length = $i - $start + 1;
        my $max = $name eq 'main' ? $main_max : $function_max;
        push @{ $found{size} }, sprintf('%s:%d: %s() has %d lines, %d are the most',
            $file, $start + 1, $name, $length, $max) if $length > $max;
        undef $start;
    }
}

# Every prototype and inline function of a header follows a comment, or another of its kind.
sub header_comments {
    my ($file, @lines) = @_;
    my $depth = 0;
    for my $i (1 .. $#lines) {
        my $before = $depth;
        (my $code = $lines[$i]) =~ s{/\*.*?\*/|"(\\.|[^"\\])*"}{}g;
        $depth += ($code =~ tr/{//) - ($code =~ tr/}//);
        next if $before > 0 || $lines[$i] !~ /^(?!typedef|#|\s|\/|\*|_Static|static_assert|extern "C")\w.*\(/;
        # Functions of one kind may share a comment, line by line.
        next if $lines[$i - 1] =~ m{\*/\s*$} || $lines[$i - 1] =~ /^\S.*;\s*$/;
        push @{ $found{comment} }, sprintf('%s:%d: %s', $file, $i + 1, $lines[$i]);
    }
}

for my $file (@files) {
    open my $handle, '<', $file or die "$file: $!";
    my $text = do { local $/; <$handle> };
    my @raw  = split /\n/, $text;
    my @bare = split /\n/, bare($text);
    push @{ $found{spdx} }, $file unless $raw[0] eq '/* SPDX-License-Identifier: MIT */';
    push @{ $found{intro} }, $file unless ($raw[1] // '') =~ m{^/\* };
    my $n_lines = $text =~ tr/\n//;
    push @{ $found{file} }, "$file has $n_lines lines, $file_max are the most" if $n_lines > $file_max;
    for my $i (0 .. $#bare) {
        my $at = sprintf('%s:%d', $file, $i + 1);
        push @{ $found{slashes} }, $at if $bare[$i] =~ m{//};
        push @{ $found{todo} }, $at if $raw[$i] =~ /\b(TODO|FIXME|XXX)\b(?! #\d)/;
        for my $name (@banned) {
            push @{ $found{call} }, "$at: $name" if $bare[$i] =~ ($name eq 'goto' ? qr/\bgoto\s/ : qr/(?<![\w>.])\Q$name\E\s*\(/);
        }
        push @{ $found{global} }, "$at: $raw[$i]"
            if $file !~ m{^tests/} && $bare[$i] =~ /^(static\s+)?(?!const|inline|extern|typedef|return)(struct\s+)?\w+[\s*]+\w+(\[.*\])?\s*(=.*)?;\s*$/;
    }
    functions($file, @bare);
    header_comments($file, @raw) if $file =~ /\.h$/;
}
for my $file (@scripts) {
    open my $handle, '<', $file or die "$file: $!";
    my @raw = <$handle>;
    push @{ $found{spdx} }, $file unless ($raw[1] // '') eq "# SPDX-License-Identifier: MIT\n";
    push @{ $found{intro} }, $file unless ($raw[2] // '') =~ /^# /;
    push @{ $found{file} }, sprintf('%s has %d lines', $file, scalar @raw) if @raw > $file_max;
}

my %rule = (
    spdx    => 'a file starts with its SPDX line',
    intro   => 'then says what belongs there',
    size    => 'functions fit 60 lines, main fits 40',
    file    => 'files fit 400 lines',
    slashes => 'no // comments',
    todo    => 'no TODO without an issue number',
    call    => 'none of the functions of rule 24, no goto',
    comment => 'every function in a header has its comment',
    global  => 'no mutable globals',
);
for my $kind (sort keys %rule) {
    ok(!@{ $found{$kind} }, $rule{$kind}) or diag(join "\n", @{ $found{$kind} });
}
done_testing();
